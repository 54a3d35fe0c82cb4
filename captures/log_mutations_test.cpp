// What befalls a log on its way changes nothing, or shows as something that is missing; it never gives
// another plan.
#include "captures/log_comparison.hpp"
#include "captures/log_fixtures.hpp"

using namespace caliper;
using namespace caliper::test;

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
