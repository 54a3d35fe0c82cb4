// What befalls a log on its way changes nothing, or shows as something that is missing; it never gives
// another plan.
#include "captures/log_fixtures.hpp"

using namespace caliper;
using namespace caliper::test;

namespace {

template <class T, class Key>
const T* same(const std::vector<T>& all, const T& one, Key key) {
  for (const T& other : all)
    if (key(other) == key(one)) return &other;
  return nullptr;
}

bool end_is_part(const std::optional<NetEnd>& part, const std::optional<NetEnd>& whole) {
  return !part || (whole && part->device == whole->device && part->gdrdma == whole->gdrdma &&
                   part->proxy_rank == whole->proxy_rank);
}

template <class T>
bool said_alike(const T& part, const T& whole) {
  return part == T{} || part == whole;
}

/// Whether a communicator says nothing that the whole one does not say.
bool is_part(const CapturedCommunicator& part, const CapturedCommunicator& whole) {
  bool good = said_alike(part.version, whole.version) && said_alike(part.ranks, whole.ranks);
  for (const CapturedRing& ring : part.rings)
    good = good && (ring.order.empty() ||
                    (ring.channel < whole.rings.size() && ring.order == whole.rings[ring.channel].order));
  for (const CapturedTree& tree : part.trees) {
    const auto* other =
        same(whole.trees, tree, [](const CapturedTree& t) { return std::pair(t.channel, t.rank); });
    good = good && other && other->up == tree.up && other->down == tree.down;
  }
  for (const CapturedConnection& one : part.connections) {
    const auto* other = same(whole.connections, one, [](const CapturedConnection& c) {
      return std::tuple(c.channel, c.index, c.from, c.to, c.kind, c.detail);
    });
    good = good && other && end_is_part(one.send, other->send) && end_is_part(one.receive, other->receive);
  }
  for (const CapturedRank& member : part.members) {
    const auto* other = same(whole.members, member, [](const CapturedRank& m) { return m.rank; });
    good = good && other && said_alike(member.host, other->host) &&
           said_alike(member.bus_id, other->bus_id) && said_alike(member.nvml_device, other->nvml_device);
  }
  for (const CapturedCall& call : part.calls) {
    const auto* other = same(whole.calls, call, [](const CapturedCall& c) {
      return std::tuple(c.collective, c.bytes, c.algorithm, c.protocol, c.first_channel, c.last_channel);
    });
    good = good && other && call.times <= other->times;
  }
  return good;
}

}  // namespace

TEST_CASE("shuffled lines give the same record") {
  const std::string log = synthetic_log();
  const ExecutionRecord record = without_lines(record_of(log));
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    CHECK(without_lines(record_of(shuffled(log, seed))) == record);
}

TEST_CASE("prefixes of launchers, line ends and lines of others give the same record") {
  const std::string log = synthetic_log();
  const ExecutionRecord record = without_lines(record_of(log));
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    CHECK(without_lines(record_of(with_random_prefixes(log, seed))) == record);
  CHECK(without_lines(record_of(replaced(log, "\n", "\r\n"))) == record);
  CHECK(without_lines(record_of(replaced(log, "\n", "\nepoch 3 loss 0.25\n#  1048576  262144 float\n"))) ==
        record);
  CHECK(without_lines(record_of(log + log)).communicators.front().rings ==
        record.communicators.front().rings);
}

TEST_CASE("files of one rank each are one log") {
  const std::string log = synthetic_log();
  std::vector<std::string> texts;
  std::vector<LogInput> inputs;
  for (int rank = 0; rank < 4; ++rank) {
    std::string text;
    for (const std::string_view line : split_lines(log))
      if (line.find(fmt::format(":{}:", 500 + rank)) != std::string_view::npos)
        text += std::string(line) + "\n";
    texts.push_back(text);
  }
  for (int rank = 3; rank >= 0; --rank)
    inputs.push_back({fmt::format("rank{}", rank), texts[std::size_t(rank)]});
  const auto record = read_nccl_log(inputs);
  REQUIRE(bool(record));
  CHECK(without_lines(*record).communicators == without_lines(record_of(log)).communicators);
  CHECK(record->where(*record->communicators.front().rings.front().at) == "rank0:6");
}

TEST_CASE("a log that is cut anywhere says a part of what the whole one says, and what is missing") {
  const std::string log = synthetic_log();
  const CapturedCommunicator whole = record_of(log).communicators.front();
  std::size_t read = 0;
  for (std::size_t length = 0; length < log.size(); ++length) {
    const auto record = read_log(log.substr(0, length));
    if (!record) {
      CHECK(!record.problems().front().what.empty());
      continue;
    }
    ++read;
    for (const CapturedCommunicator& one : record->communicators) {
      if (!is_part(one, whole)) FAIL("cut at " << length);
      if (one.members.size() < 4) CHECK(!one.gaps.empty());
    }
  }
  CHECK(read > log.size() / 2);
}

TEST_CASE("a message into whose middle another is printed is torn, and its half says nothing") {
  const std::string log = synthetic_log();
  const CapturedCommunicator whole = record_of(log).communicators.front();
  const auto lines = split_lines(log);
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::size_t at = 1; at < lines[i].size(); at += 3) {
      std::string torn;
      for (std::size_t k = 0; k < lines.size(); ++k) {
        const std::string line(lines[k]);
        torn +=
            k == i ? line.substr(0, at) + prefix("alpha", 500, 600, 0) + "Using network IB\n" : line + "\n";
      }
      const auto record = read_log(torn);
      REQUIRE_MESSAGE(bool(record), describe(record.problems()) << "\n" << lines[i].substr(0, at));
      for (const CapturedCommunicator& one : record->communicators)
        if (!is_part(one, whole)) FAIL("torn: " << lines[i].substr(0, at));
    }
}
