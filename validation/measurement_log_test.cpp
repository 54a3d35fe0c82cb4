#include "validation/measurement_log.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "base/random.hpp"
#include "validation/log_fixtures.hpp"
#include "validation/measurement_writer.hpp"

using namespace caliper;
using namespace caliper::test;

TEST_CASE("JSON: times, lines, wrong results, facts") {
  const MeasurementLog log = read(kJson);
  CHECK(read_all(kJson).format == "nccl-tests JSON");
  REQUIRE(log.measurements.size() == 2);
  CHECK(log.measurements[0].seconds == doctest::Approx(100e-6));
  CHECK(log.measurements[0].line == 4);
  CHECK(log.measurements[1].bytes == 16000000);
  CHECK(log.measurements[1].buffers == Buffers::in_place);
  CHECK(log.measurements[1].line == 7);
  REQUIRE(log.skipped.size() == 2);
  CHECK(says(log.skipped[0].reason, "in-place: wrong results (3.0)"));
  CHECK(says(log.skipped[1].reason, "out-of-place: time of the CPU (-C)"));
  CHECK(says(log.notes.back(), "1 time left out because nccl-tests found wrong results (line 4)"));
  CHECK(log.facts.collective == "all_gather");
  CHECK(log.facts.data_type == "float32");
  CHECK(log.facts.nccl_version == "2.29.7");
  CHECK(log.facts.ranks == 2u);
  CHECK(log.facts.nodes == 2u);
  CHECK(log.facts.warmups == 5u);
  CHECK(says(refusal(replaced(kJson, "\"version\":1", "\"version\":2")), "schema version 2"));
  CHECK(says(refusal(R"({"a":1})"), "not of nccl-tests"));
  CHECK(says(refusal(kJson.substr(0, 200)), "not valid JSON"));
}

TEST_CASE(
    "JSON: schema version 3 and later: added keys do not matter, needed ones are named when they lack") {
  const MeasurementLog one = read(kJson);
  const std::string three = replaced(replaced(kJson, "\"version\":1", "\"version\":3"), "\"nwrong\"",
                                     "\"added\":{\"time\":[1]},\"nwrong\"");
  CHECK(kept(three) == kept(kJson));
  CHECK(read(three).facts == one.facts);
  CHECK(says(refusal(replaced(three, "\"nwrong\"", "\"wrong\"")), "no 'nwrong'"));
  CHECK(says(refusal(replaced(three, "\"alg_bw\"", "\"algbw\"")), "no 'alg_bw'"));
}

TEST_CASE("JSON: results of several types are tables of their own; alternating ones are refused") {
  const MeasurementFile file =
      read_all(replaced(kJson, "2000000,\"type\":\"float\"", "4000000,\"type\":\"half\""));
  REQUIRE(file.tables.size() == 2);
  CHECK(file.tables[1].facts.data_type == "float16");
  CHECK(file.tables[1].line == 7);
  std::string more = kJson;
  const std::size_t first = more.find("{\"size\""), second = more.find("{\"size\"", first + 1);
  more.insert(second, replaced(more.substr(first, second - first), "float", "half"));
  CHECK(says(refusal(more), "alternate"));
}

TEST_CASE("a log written as CSV reads back as the same") {
  for (const std::string& content : {kCurrent, kOld, kJson, kCsv}) {
    MeasurementLog log = read(content);
    const MeasurementLog again = read(measurement_csv(log));
    CHECK(kept(measurement_csv(log)).size() == log.measurements.size());
    for (std::size_t i = 0; i < log.measurements.size(); ++i) {
      CHECK(again.measurements[i].bytes == log.measurements[i].bytes);
      CHECK(again.measurements[i].seconds == doctest::Approx(log.measurements[i].seconds).epsilon(1e-11));
    }
    log.facts.source = log.facts.source.value_or("file");
    CHECK(again.facts == log.facts);
    CHECK(again.notes == log.notes);
  }
}

TEST_CASE("CSV: facts from comments, cells held against their bandwidth") {
  const MeasurementLog log = read(kCsv);
  CHECK(read_all(kCsv).format == "CSV");
  REQUIRE(log.measurements.size() == 3);
  CHECK(log.measurements[0].bytes == 1000000);
  CHECK(log.measurements[2].seconds == doctest::Approx(250e-6));
  CHECK(log.measurements[2].buffers == Buffers::in_place);
  CHECK(log.measurements[2].line == 13);
  REQUIRE(log.skipped.size() == 4);
  CHECK(says(log.skipped[0].reason, "are 10 GB/s, not the 12.00 printed"));
  CHECK(says(log.skipped[1].reason, "N/A"));
  CHECK(says(log.skipped[2].reason, "not above zero"));
  CHECK(log.facts.source == "made up for this test");
  CHECK(log.facts.collective == "reduce_scatter");
  CHECK(log.facts.data_type == "float32");
  CHECK(log.facts.nccl_version == "2.29.7");
  CHECK(log.facts.ranks == 8u);
  CHECK(log.facts.iterations == 20u);
  CHECK(read("size_bytes,ip_time_us\n8,1.5\n").measurements.size() == 1);
  CHECK(read(replaced(kCsv, "dtype: float", "data_type: float32")).facts == log.facts);
}

TEST_CASE("CSV: bandwidth agrees within its printed digits and one per cent") {
  // 1000 B in 1.000 us (0.9995 to 1.0005) are 1 GB/s; with 1 % of slack 0.9895 to 1.0105
  const auto reads = [](const std::string& row) {
    return bool(read_measurements("size_bytes,oop_time_us,oop_algbw_GBs\n" + row + "\n", "file"));
  };
  CHECK(reads("1000,1.000,0.99"));
  CHECK(reads("1000,1.000,1.010"));
  CHECK(!reads("1000,1.000,0.984"));
  CHECK(!reads("1000,1.000,1.02"));
  CHECK(reads("8,20.00,0.00"));
  CHECK(reads("1000,0.02,60.00"));  // 0.02 may be 0.015: 66.7 GB/s
  CHECK(!reads("1000,0.02,80.00"));
}

TEST_CASE("CSV: all problems in one go, with their lines and a suggestion") {
  const std::string header =
      refusal("# ranks: many\nsize_bytes,oop_time_ms,ip_time_us,ip_time_us\n8,1,2,2\n");
  CHECK(says(header, "file:1: ranks: 'many' is not a count"));
  CHECK(says(header, "file:2: unknown column 'oop_time_ms' (did you mean 'oop_time_us'?)"));
  CHECK(says(header, "file:2: column 'ip_time_us' stands twice"));
  const std::string rows =
      refusal("size_bytes,dtype,ip_time_us\n8,float,1\n16,float\n1x,float,2\n32,float,x\n64,half,2\n");
  CHECK(says(rows, "file:3: 2 fields, the header has 3"));
  CHECK(says(rows, "file:4: size_bytes '1x'"));
  CHECK(says(rows, "file:5: ip_time_us 'x'"));
  CHECK(says(rows, "file:6: dtype is 'half' here and 'float' above"));
  CHECK(says(refusal(replaced(kCsv, "# ranks: 8", "# ranks: 6")), "6 ranks are not 2 nodes of 4 GPUs"));
  CHECK(says(refusal("count,dtype\n1,float\n"), "no column size_bytes"));
}

TEST_CASE("what holds no measurements is refused with the reason") {
  CHECK(says(refusal(""), "empty"));
  CHECK(says(refusal(" \n\n"), "empty"));
  CHECK(says(refusal("start failed on node001\nno such device\n"), "no measurements"));
  CHECK(says(refusal("size_bytes,ip_time_us\n"), "without any usable time"));
  CHECK(says(refusal("size_bytes,ip_time_us\n0,5\n"), "line 2: in-place: zero size"));
  const std::string cut = kCurrent.substr(0, kCurrent.find("#                     ")) +
                          "nodeA: Test NCCL failure common.cu:1012 'unhandled system error'\n";
  CHECK(says(refusal(cut), "ended before it printed a table"));
  CHECK(says(refusal(cut), "the file says: nodeA: Test NCCL failure"));
  CHECK(says(refusal(kCurrent.substr(0, kCurrent.find("     1048576    "))), "no table with a usable time"));
}

TEST_CASE("readers survive any bytes: every time is finite and above zero, every refusal says why") {
  std::size_t accepted = 0, refused = 0;
  const auto survives = [&](const std::string& content) {
    const auto log = read_measurements(content, "file");
    if (!log) {
      ++refused;
      if (describe(log.problems()).empty()) FAIL("refused without a reason");
      return;
    }
    ++accepted;
    for (const MeasurementLog& table : log->tables)
      for (const Measurement& m : table.measurements)
        if (!(std::isfinite(m.seconds) && m.seconds > 0 && m.bytes > 0))
          FAIL("bad measurement in: " << content);
  };
  const std::vector<std::string> seeds = {kCurrent, kOld, kJson, kCsv,
                                          replaced(kCurrent, "\n", "\n[1,0]<stdout>:")};
  for (std::uint64_t seed = 0; seed < seeds.size(); ++seed) {
    const std::string& whole = seeds[seed];
    for (std::size_t length = 0; length <= whole.size(); ++length) survives(whole.substr(0, length));
    for (std::uint64_t trial = 0; trial < 2000; ++trial) {
      std::string content = whole;
      const std::uint64_t flips = 1 + hash64(seed, trial, 0) % 8;
      for (std::uint64_t flip = 1; flip <= flips; ++flip) {
        const std::uint64_t draw = hash64(seed, trial, flip);
        content[draw % content.size()] = static_cast<char>(draw >> 56);
      }
      survives(content);
    }
  }
  CHECK(accepted > 1000);
  CHECK(refused > 1000);
}
