#include "calibration/evaluation_cache.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <string_view>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/hash.hpp"

namespace caliper {
namespace {

constexpr int kApplicationId = 0x43414c50;  // "CALP": the file's own mark, in the header of the SQLite format
constexpr std::string_view kSchemaVersion = "1";
constexpr int kBusyMilliseconds = 10'000;

constexpr const char* kSettings = "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;";
/// Rows lie in the order of the parameters: a batch writes few pages in a row, where by program it would
/// write one a row, all over the file. Files in the other order are read and written all the same.
constexpr const char* kSchema =
    "CREATE TABLE metadata (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE evaluations (program TEXT, parameters TEXT, status TEXT NOT NULL, seconds REAL NOT NULL,"
    " reason TEXT NOT NULL, PRIMARY KEY (parameters, program)) WITHOUT ROWID;";

constexpr std::array kStatusNames = {std::string_view{"time"}, std::string_view{"failure"},
                                     std::string_view{"timeout"}};

std::string_view hint_for(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "free some space and resume: what was reported is kept";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      return "the folder must exist, and you must be allowed to write to it and to the file";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another calibration uses the file: wait for it, or choose another output folder";
    case SQLITE_IOERR:
      return "check the free space, your quota and the file system, then resume: what was reported is kept";
    case SQLITE_NOTADB:
      return "it is no evaluation cache: move it away, or choose another output folder";
    case SQLITE_NOMEM:
      return "there is not enough memory: use fewer threads or close other programs, then resume";
    default:
      return "the file is damaged: delete it, and its evaluations are computed anew";
  }
}

}  // namespace

/// The connection; all that calls SQLite is here.
struct EvaluationCache::Database {
  std::string name;
  sqlite3* connection = nullptr;
  sqlite3_stmt* find = nullptr;
  sqlite3_stmt* insert = nullptr;
  std::mutex mutex;

  ~Database() {
    sqlite3_finalize(find);
    sqlite3_finalize(insert);
    sqlite3_close(connection);
  }

  Problems failed(std::string_view doing) const {
    const int code = sqlite3_extended_errcode(connection);
    return {
        {name, fmt::format("{} failed: {}", doing, sqlite3_errmsg(connection)), std::string(hint_for(code))}};
  }
  Problems refused(std::string what, std::string hint) const {
    return {{name, std::move(what), std::move(hint)}};
  }

  bool run(const char* sql) const {
    return sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  bool run(const std::string& sql) const { return run(sql.c_str()); }
  void roll_back() const {
    // A failed statement may have rolled back already; then there is nothing to do and nothing to say.
    if (!sqlite3_get_autocommit(connection)) (void)run("ROLLBACK");
  }

  /// First column of the first row; empty text where there is no row; nullopt on an error.
  std::optional<std::string> text_of(const char* query) const {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(connection, query, -1, &statement, nullptr) != SQLITE_OK) return std::nullopt;
    const int code = sqlite3_step(statement);
    std::optional<std::string> text;
    if (code == SQLITE_DONE) text = "";
    if (code == SQLITE_ROW) text = column_text(statement, 0);
    sqlite3_finalize(statement);
    return text;
  }

  static std::string column_text(sqlite3_stmt* statement, int column) {
    const unsigned char* text = sqlite3_column_text(statement, column);
    return text ? std::string(reinterpret_cast<const char*>(text),
                              static_cast<std::size_t>(sqlite3_column_bytes(statement, column)))
                : "";
  }
  static void bind(sqlite3_stmt* statement, int place, std::string_view text) {
    CALIPER_CHECK(sqlite3_bind_text64(statement, place, text.data(), text.size(), SQLITE_TRANSIENT,
                                      SQLITE_UTF8) == SQLITE_OK);
  }

  Problems open(const std::string& file) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(file.c_str(), &connection, flags, nullptr) != SQLITE_OK) return failed("opening");
    sqlite3_extended_result_codes(connection, 1);
    sqlite3_busy_timeout(connection, kBusyMilliseconds);
    if (sqlite3_db_readonly(connection, "main") == 1)
      return refused("cannot be written to", std::string(hint_for(SQLITE_READONLY)));
    // The mark is looked at before any setting, so that nothing of a foreign file is touched.
    if (!run("BEGIN IMMEDIATE")) return failed("opening");
    if (Problems problems = check_or_make_schema(); !problems.empty()) {
      roll_back();
      return problems;
    }
    if (!run("COMMIT") || !run(kSettings)) return failed("opening");
    return prepare();
  }

  Problems check_or_make_schema() const {
    const auto mark = text_of("PRAGMA application_id");
    const auto tables = text_of("SELECT count(*) FROM sqlite_master");
    if (!mark || !tables) return failed("reading");
    if (*mark == "0" && *tables == "0") return make_schema();
    if (*mark != std::to_string(kApplicationId))
      return refused("is a database of another program", std::string(hint_for(SQLITE_NOTADB)));
    const auto state = text_of("PRAGMA quick_check(1)");
    if (!state || *state != "ok")
      return refused(fmt::format("is damaged: {}", state ? *state : sqlite3_errmsg(connection)),
                     std::string(hint_for(SQLITE_CORRUPT)));
    const auto version = text_of("SELECT value FROM metadata WHERE name = 'schema'");
    if (!version) return failed("reading");
    if (*version != kSchemaVersion)
      return refused(fmt::format("has schema version '{}', this program reads {}", *version, kSchemaVersion),
                     "choose another output folder, or delete the file: its evaluations are computed anew");
    return {};
  }

  Problems make_schema() const {
    if (!run(fmt::format("PRAGMA application_id = {}", kApplicationId)) || !run(kSchema) ||
        !run(
            fmt::format("INSERT INTO metadata VALUES ('schema', '{}'), ('content', 'calipersim evaluations')",
                        kSchemaVersion)))
      return failed("writing");
    return {};
  }

  Problems prepare() {
    const char* find_sql =
        "SELECT status, seconds, reason FROM evaluations WHERE program = ? AND parameters = ?";
    const char* insert_sql = "INSERT OR IGNORE INTO evaluations VALUES (?, ?, ?, ?, ?)";
    if (sqlite3_prepare_v2(connection, find_sql, -1, &find, nullptr) != SQLITE_OK ||
        sqlite3_prepare_v2(connection, insert_sql, -1, &insert, nullptr) != SQLITE_OK)
      return failed("reading");
    return {};
  }

  Result<std::optional<Outcome>> find_one(const CacheKey& key) {
    sqlite3_reset(find);
    bind(find, 1, key.program);
    bind(find, 2, key.parameters);
    const int code = sqlite3_step(find);
    if (code == SQLITE_DONE) return std::optional<Outcome>{};
    if (code != SQLITE_ROW) return failed("reading");
    const auto status = std::ranges::find(kStatusNames, column_text(find, 0));
    if (status == kStatusNames.end())
      return refused(fmt::format("has the unknown status '{}'", column_text(find, 0)),
                     std::string(hint_for(SQLITE_CORRUPT)));
    return std::optional<Outcome>{{static_cast<OutcomeStatus>(status - kStatusNames.begin()),
                                   sqlite3_column_double(find, 1),
                                   {},
                                   column_text(find, 2)}};
  }

  bool insert_one(const CacheKey& key, const Outcome& outcome) {
    sqlite3_reset(insert);
    bind(insert, 1, key.program);
    bind(insert, 2, key.parameters);
    bind(insert, 3, kStatusNames[static_cast<std::size_t>(outcome.status)]);
    const bool timed = outcome.status == OutcomeStatus::time;
    CALIPER_CHECK(!timed || std::isfinite(outcome.seconds));
    sqlite3_bind_double(insert, 4, timed ? outcome.seconds : 0.0);
    bind(insert, 5, outcome.reason);
    return sqlite3_step(insert) == SQLITE_DONE;
  }
};

std::string parameters_hash(const ParameterTable& table, ParameterView parameters) {
  CALIPER_CHECK(parameters.size() == table.size());
  std::vector<ParameterIndex> order(table.size());
  for (ParameterIndex i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](ParameterIndex i) -> const std::string& { return table[i].id; });
  Hasher hasher;
  for (const ParameterIndex i : order) hasher.add(table[i].id).add(parameters[i]);
  return hasher.hex();
}

EvaluationCache::EvaluationCache(std::unique_ptr<Database> database) : database_(std::move(database)) {}
EvaluationCache::EvaluationCache(EvaluationCache&&) noexcept = default;
EvaluationCache& EvaluationCache::operator=(EvaluationCache&&) noexcept = default;
EvaluationCache::~EvaluationCache() = default;

Result<EvaluationCache> EvaluationCache::open(const std::filesystem::path& path) {
  auto database = std::make_unique<Database>();
  database->name = path.string();
  // An absolute path keeps SQLite's special names (":memory:", "file:...", "") ordinary file names.
  std::error_code code;
  const auto absolute = std::filesystem::absolute(path, code);
  if (code || path.empty()) return Error{path.string(), "is no usable path for the evaluation cache", ""};
  if (Problems problems = database->open(absolute.string()); !problems.empty()) return problems;
  return EvaluationCache(std::move(database));
}

EvaluationCache EvaluationCache::in_memory() {
  auto database = std::make_unique<Database>();
  database->name = "evaluation cache in memory";
  CALIPER_CHECK(database->open(":memory:").empty());
  return EvaluationCache(std::move(database));
}

Result<std::vector<std::optional<Outcome>>> EvaluationCache::find(std::span<const CacheKey> keys) const {
  const std::lock_guard lock(database_->mutex);
  std::vector<std::optional<Outcome>> outcomes;
  outcomes.reserve(keys.size());
  // One transaction for the whole batch: one look at the file's lock instead of one per key.
  if (!database_->run("BEGIN")) return database_->failed("reading");
  for (const CacheKey& key : keys) {
    auto outcome = database_->find_one(key);
    if (!outcome) {
      sqlite3_reset(database_->find);
      database_->roll_back();
      return outcome.problems();
    }
    outcomes.push_back(*std::move(outcome));
  }
  sqlite3_reset(database_->find);
  if (!database_->run("COMMIT")) {
    Problems problems = database_->failed("reading");
    database_->roll_back();
    return problems;
  }
  return outcomes;
}

Problems EvaluationCache::store(std::span<const CacheKey> keys, std::span<const Outcome> outcomes) {
  CALIPER_CHECK(keys.size() == outcomes.size());
  if (keys.empty()) return {};
  const std::lock_guard lock(database_->mutex);
  bool good = database_->run("BEGIN IMMEDIATE");
  for (std::size_t i = 0; good && i < keys.size(); ++i) good = database_->insert_one(keys[i], outcomes[i]);
  // The problem is read before anything else touches the connection.
  Problems problems = good ? Problems{} : database_->failed("writing");
  sqlite3_reset(database_->insert);
  if (good && !database_->run("COMMIT")) problems = database_->failed("writing");
  if (!problems.empty()) database_->roll_back();
  return problems;
}

Result<std::uint64_t> EvaluationCache::size() const {
  const std::lock_guard lock(database_->mutex);
  const auto count = database_->text_of("SELECT count(*) FROM evaluations");
  if (!count) return database_->failed("reading");
  return static_cast<std::uint64_t>(std::stoull(*count));
}

}  // namespace caliper
