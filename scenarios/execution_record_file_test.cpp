// Records survive being written and read; what is wrong with a file of one is named.
#include "scenarios/execution_record_file.hpp"

#include "captures/log_fixtures.hpp"

using namespace caliper;
using namespace caliper::test;

namespace {

void check_round_trip(const ExecutionRecord& record) {
  const auto again = read_execution_record(execution_record_toml(record), "record.toml");
  REQUIRE_MESSAGE(bool(again), describe(again.problems()));
  CHECK(*again == record);
}

std::string problems_of_file(const std::string& content) {
  const auto record = read_execution_record(content, "record.toml");
  return record ? "no problem" : describe(record.problems());
}

}  // namespace

TEST_CASE("a record is the same after it was written and read") {
  const std::string log = synthetic_log();
  check_round_trip(record_of(log));
  check_round_trip(record_of(without(log, "/02 :")));
  check_round_trip(record_of(without(without(log, "Channel 0"), "beta")));
  check_round_trip(record_of(prefix("a", 1, 2, 0) + "4096 Bytes -> Algo 1 proto 2 time 33.1\n"));
  for (std::size_t length = 200; length < log.size(); length += 61)
    if (const auto cut = read_log(log.substr(0, length))) check_round_trip(*cut);
}

TEST_CASE("values at the ends of their ranges, names that need quoting") {
  ExecutionRecord record = record_of(synthetic_log());
  record.files = {"a \"log\" of\\mine:7"};
  record.notes = {"tab\there"};
  record.communicators[0].calls[0].bytes = (std::uint64_t{1} << 50) - 1;
  record.communicators[0].calls[0].buffer_bytes = 0;
  record.communicators[0].connections[0].index = 1;
  record.communicators[0].connections[0].channel = 63;  // more than collectives have
  check_round_trip(record);
}

TEST_CASE("what is wrong with a record's file is named with its line") {
  const std::string text = execution_record_toml(record_of(synthetic_log()));
  const auto with = [&](const std::string& from, const std::string& to) {
    REQUIRE(says(text, from));
    return problems_of_file(replaced(text, from, to));
  };
  CHECK(says(with("[0, 1, 3, 2]", "[0, 1, 3, 3]"), "rank 3 is in the ring twice"));
  CHECK(says(with("[0, 1, 3, 2]", "[0, 1, 3]"), "rank 2 is missing from the ring"));
  CHECK(says(with("[0, 1, 3, 2]", "[1, 3, 2, 0]"), "the ring starts with rank 1"));
  CHECK(says(with("ranks = 4", "ranks = 3"), "'rank' in [[members]] is 3"));
  CHECK(says(with("rule = \"listed\", order", "rule = \"none\", order"), "a ring has an order and the rule"));
  CHECK(says(with("at = \"log:6\"", "at = \"other:6\""), "'at' is 'other:6'"));
  CHECK(says(with("version =", "versoin ="), "versoin"));
  CHECK(says(with("gdrdma = true", "gdrdma = 1"), "true or false"));
  CHECK(says(with("bytes = \"64 KiB\"", "bytes = \"64\""), "'bytes'"));
  CHECK(says(with("kind = \"nccl execution\"", "kind = \"poem\""), "'kind' is 'poem'"));
  CHECK(says(problems_of_file(""), "record.toml:1"));
  CHECK(says(with("[[communicator]]\n", "[[communicator]]\nmembers = [{ rank = 0, at = \"log:1\" }]\n"),
             "record.toml:"));
}
