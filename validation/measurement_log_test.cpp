// Synthetic files in the shapes that nccl-tests and launchers leave behind; no number here was measured.
#include "validation/measurement_log.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "base/random.hpp"

using namespace caliper;

namespace {

const std::string kCurrent = R"(srun ./build/all_reduce_perf -b 1M -e 4M -f 2
# nccl-tests version 2.17.8 nccl-headers=22902 nccl-library=22907
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   1000 on   nodeA device  0 [0000:06:00] GPU
#  Rank  1 Group  0 Pid   1001 on   nodeA device  1 [0000:26:00] GPU
#  Rank  2 Group  0 Pid   1002 on   nodeB device  0 [0000:06:00] GPU
#  Rank  3 Group  0 Pid   1003 on   nodeB device  1 [0000:26:00] GPU
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong 
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         
     1048576        262144     float     sum      -1   100.00   10.49   15.73       0   110.00    9.53   14.30       0
nodeA:1000:1000 [0] NCCL INFO some line between rows
     2097152        524288     float     sum      -1    200.0   10.49   15.73       0    210.0    9.99   14.98       0
     4194304       1048576     float     sum      -1    400.0   10.49   15.73       0    420.0    9.99   14.98     N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 15.2 
)";

const std::string kOld =
    R"(   # nThread 1 nGpus 4 minBytes 0 maxBytes 4096 step: 2(factor) warmup iters: 5 iters: 30 validation: 1
   #
   # Using devices
   #   Rank  0 Pid  77 on nodeA device  0 [0x3d] GPU
   #   Rank  1 Pid  77 on nodeA device  1 [0x3e] GPU
   #
   #                                                     out-of-place                       in-place
   #       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
   #        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
              0             0   float     sum     0.10    0.00    0.00    N/A     0.11    0.00    0.00    N/A
           1024           256   float     sum    16.36    0.06    0.06  1e-07    15.99    0.06    0.06  0e+00
           2048           512   float     sum    20.00    0.10    0.10    N/A    21.00    0.10    0.10    N/A
           4096          1024   float     sum    40.00    0.10    0.10  3e-02    41.00    0.10    0.10    nan
)";

const std::string kJson =
    R"({"version":1,"args":["\/opt\/all_gather_perf","-b","8M"],"nccl_version":22907,
"config":{"warmup_iters":5,"iterations":20,"devices":[{"rank":0,"hostname":"nodeA"},{"rank":1,"hostname":"nodeB"}]},
"results":[
{"size":8000000,"count":1000000,"type":"float","redop":"none","root":"    -1",
 "out_of_place":{"time":100.0,"alg_bw":80.0,"bus_bw":40.0,"nwrong":0.0},
 "in_place":{"time":125.0,"alg_bw":64.0,"bus_bw":32.0,"nwrong":3.0}},
{"size":16000000,"count":2000000,"type":"float","redop":"none","root":"    -1",
 "out_of_place":{"cpu_time":200.0,"alg_bw":80.0,"bus_bw":40.0,"nwrong":"N/A"},
 "in_place":{"time":250.0,"alg_bw":64.0,"bus_bw":32.0,"nwrong":0.0}}],
"average_bus_bandwidth":{"bandwidth":36.0,"okay":"unchecked"}})";

const std::string kCsv = R"(# synthetic
# source: made up for this test
# collective: reduce_scatter
# dtype: float
# nodes: 2
# gpus_per_node: 4 (of 8)
# ranks: 8
# nccl_version: 22907 (2.29.7), as stated
# nccl_tests_version: not stated
# nccl_tests_header: nThread 1 warmup iters: 5 iters: 20 agg iters: 1
size_bytes,count,dtype,redop,oop_time_us,oop_algbw_GBs,ip_time_us,ip_algbw_GBs
1000000,31250,float,sum,100.0,10.00,,
2000000,62500,float,sum,200.0,10.00,250.0,8.00
4000000,125000,float,sum,400.0,12.00,N/A,N/A
8000000,250000,float,sum,0,0.00,-3.5,1.00
)";

MeasurementLog read(const std::string& content) {
  const auto log = read_measurements(content, "file");
  if (!log) FAIL(describe(log.problems()));
  return *log;
}

std::string refusal(const std::string& content) {
  const auto log = read_measurements(content, "file");
  return log ? "not refused" : describe(log.problems());
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("nccl-tests text, #wrong column: every cell with its line, and what the run says of itself") {
  const MeasurementLog log = read(kCurrent);
  CHECK(log.format == "nccl-tests text");
  REQUIRE(log.measurements.size() == 6);
  CHECK(log.skipped.empty());
  CHECK(log.measurements[0].bytes == 1048576);
  CHECK(log.measurements[0].seconds == doctest::Approx(100e-6));
  CHECK(log.measurements[0].buffers == Buffers::out_of_place);
  CHECK(log.measurements[0].line == 15);
  CHECK(log.measurements[5].bytes == 4194304);
  CHECK(log.measurements[5].seconds == doctest::Approx(420e-6));
  CHECK(log.measurements[5].buffers == Buffers::in_place);
  CHECK(log.measurements[5].line == 18);
  CHECK(log.facts.collective == "all_reduce");
  CHECK(log.facts.data_type == "float32");
  CHECK(log.facts.nccl_version == "2.29.7");
  CHECK(log.facts.ranks == 4u);
  CHECK(log.facts.nodes == 2u);
  CHECK(log.facts.iterations == 20u);
  CHECK(log.facts.warmups == 1u);
}

TEST_CASE(
    "nccl-tests text, error column without root: N/A is unchecked, a large or undefined error is wrong") {
  const MeasurementLog log = read(kOld);
  REQUIRE(log.measurements.size() == 4);
  CHECK(log.measurements[0].bytes == 1024);
  CHECK(log.measurements[3].seconds == doctest::Approx(21e-6));
  CHECK(!log.facts.collective);
  CHECK(log.facts.ranks == 2u);
  CHECK(log.facts.iterations == 30u);
  REQUIRE(log.skipped.size() == 4);
  CHECK(says(log.skipped[0].reason, "zero size"));
  CHECK(says(log.skipped[2].reason, "out-of-place: wrong results (3e-02)"));
  CHECK(says(log.skipped[3].reason, "in-place"));
  CHECK(log.skipped[3].line == 13);
}

TEST_CASE("nccl-tests text: whatever a launcher puts before the lines, the same times are read") {
  const MeasurementLog plain = read(kCurrent);
  const std::string tag = "[1,0]<stdout>:";
  std::vector<std::string> variants;
  for (const std::string prefix :
       {" 0: ", "[STAT]:", "run(), common.cu:967, ", "node001: ", "2026-01-01 10:00:00 ", "\t"})
    variants.push_back(prefix + replaced(kCurrent, "\n", "\n" + prefix));
  // Tags inside a row, where it was written in pieces; Windows line ends.
  variants.push_back(
      replaced(tag + replaced(kCurrent, "\n", "\n" + tag), "      -1   ", "      -1" + tag + "   "));
  variants.push_back(replaced(kCurrent, "\n", "\r\n"));
  for (const std::string& variant : variants) {
    CAPTURE(variant.substr(0, 60));
    const MeasurementLog log = read(variant);
    REQUIRE(log.measurements.size() == plain.measurements.size());
    for (std::size_t i = 0; i < log.measurements.size(); ++i) {
      CHECK(log.measurements[i].bytes == plain.measurements[i].bytes);
      CHECK(log.measurements[i].seconds == plain.measurements[i].seconds);
    }
    CHECK(log.facts.ranks == plain.facts.ranks);
    CHECK(log.facts.collective == plain.facts.collective);
  }
}

TEST_CASE("nccl-tests text: wrong, N/A, zero and inconsistent cells are skipped one by one with the reason") {
  const auto only_skip = [](const std::string& content) {
    const MeasurementLog log = read(content);
    CHECK(log.measurements.size() == 5);
    REQUIRE(log.skipped.size() == 1);
    CHECK(log.skipped[0].line == 15);
    return log.skipped[0].reason;
  };
  CHECK(says(only_skip(replaced(kCurrent, "15.73       0   110.00", "15.73       7   110.00")),
             "wrong results (7)"));
  CHECK(says(only_skip(replaced(kCurrent, " 110.00 ", "    N/A ")), "in-place: time is N/A"));
  CHECK(says(only_skip(replaced(kCurrent, " 110.00 ", "   0.00 ")), "not above zero"));
  CHECK(says(only_skip(replaced(kCurrent, " 110.00 ", "  -1.00 ")), "not above zero"));
  CHECK(says(only_skip(replaced(kCurrent, " 110.00 ", " 180.00 ")), "are 5.825 GB/s, not the 9.53 printed"));
  // count times element size is not the size: neither cell of the row can be trusted
  const MeasurementLog log = read(replaced(kCurrent, "262144     float", "262143     float"));
  CHECK(log.measurements.size() == 4);
  REQUIRE(log.skipped.size() == 1);
  CHECK(says(log.skipped[0].reason, "size 1048576 is not count 262143 of float32"));
}

TEST_CASE("nccl-tests text: the same run continued in a second table is one log, another run is refused") {
  CHECK(read(kCurrent + kCurrent).measurements.size() == 12);
  CHECK(read(kCurrent + replaced(kCurrent, "minBytes 1048576", "minBytes 4096")).measurements.size() == 12);
  for (const auto& [from, to] : {std::pair{"all_reduce_perf", "reduce_scatter_perf"},
                                 {"nodeB", "nodeA"},
                                 {" iters: 20", " iters: 50"},
                                 {" sum ", " max "},
                                 {"   15.73 ", "    7.87 "}}) {
    CAPTURE(std::string(to));
    const std::string text = refusal(kCurrent + replaced(kCurrent, from, to));
    CHECK(says(text, "file:33: a second table"));
    CHECK(says(text, "split the file"));
  }
  CHECK(says(refusal(replaced(kCurrent, "1048576     float     sum", "1048576     float    prod")),
             "file:18: rows of one table differ"));
}

TEST_CASE("nccl-tests text: an empty first table does not let different later ones through") {
  const std::string empty = kCurrent.substr(0, kCurrent.find("     1048576    "));
  CHECK(read(empty + kCurrent).measurements.size() == 6);
  CHECK(read(empty + kCurrent).facts.data_type == "float32");
  CHECK(says(refusal(empty + kCurrent + replaced(kCurrent, " sum ", " max ")), "file:47: a second table"));
}

TEST_CASE("nccl-tests text: two programs that print into one file are noticed") {
  const std::string twice = replaced(kCurrent, "#  Rank  1 ", "#  Rank  0 ");
  CHECK(says(read(twice).skipped.front().reason, "rank is listed twice"));
  CHECK(says(refusal(twice + twice.substr(twice.find("#       size"))), "MPI=1"));
}

TEST_CASE("JSON: times, lines, wrong results, facts") {
  const MeasurementLog log = read(kJson);
  CHECK(log.format == "nccl-tests JSON");
  REQUIRE(log.measurements.size() == 3);
  CHECK(log.measurements[0].seconds == doctest::Approx(100e-6));
  CHECK(log.measurements[0].line == 4);
  CHECK(log.measurements[1].bytes == 16000000);
  CHECK(log.measurements[1].line == 7);
  REQUIRE(log.skipped.size() == 1);
  CHECK(says(log.skipped[0].reason, "in-place: wrong results (3.0)"));
  CHECK(log.facts.collective == "all_gather");
  CHECK(log.facts.data_type == "float32");
  CHECK(log.facts.nccl_version == "2.29.7");
  CHECK(log.facts.ranks == 2u);
  CHECK(log.facts.nodes == 2u);
  CHECK(log.facts.warmups == 5u);
  CHECK(says(refusal(replaced(kJson, "\"version\":1", "\"version\":3")), "schema version 3"));
  CHECK(says(refusal(R"({"a":1})"), "not of nccl-tests"));
  CHECK(says(refusal(kJson.substr(0, 200)), "not valid JSON"));
  CHECK(says(refusal(replaced(kJson, "2000000,\"type\":\"float\"", "2000000,\"type\":\"half\"")),
             "results differ"));
}

TEST_CASE("CSV: facts from comments, cells held against their bandwidth") {
  const MeasurementLog log = read(kCsv);
  CHECK(log.format == "CSV");
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
  CHECK(read("size_bytes,ip_time_us\n8,1.5").measurements.size() == 1);
}

TEST_CASE("CSV: bandwidth agrees within its printed digits and one per cent") {
  // 1000 B in 1.000 us (0.9995 to 1.0005) are 1 GB/s; with 1 % of slack 0.9895 to 1.0105
  const auto reads = [](const std::string& row) {
    return bool(read_measurements("size_bytes,oop_time_us,oop_algbw_GBs\n" + row, "file"));
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
  CHECK(says(refusal(kCurrent.substr(0, kCurrent.find("     1048576    "))), "without any usable time"));
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
    for (const Measurement& m : log->measurements)
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

TEST_CASE("a truncated table never gives a time that the whole one does not have") {
  const MeasurementLog whole = read(kCurrent);
  for (std::size_t length = 0; length < kCurrent.size(); ++length) {
    const auto log = read_measurements(kCurrent.substr(0, length), "file");
    if (!log) continue;
    REQUIRE(log->measurements.size() <= whole.measurements.size());
    for (std::size_t i = 0; i < log->measurements.size(); ++i) {
      CHECK(log->measurements[i].seconds == whole.measurements[i].seconds);
      CHECK(log->measurements[i].bytes == whole.measurements[i].bytes);
    }
  }
}
