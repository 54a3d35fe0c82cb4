#include "validation/nccl_tests_text.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "validation/log_fixtures.hpp"

using namespace caliper;
using namespace caliper::test;

TEST_CASE("nccl-tests text, #wrong column: every cell with its line, and what the run says of itself") {
  const MeasurementLog log = read(kCurrent);
  CHECK(read_all(kCurrent).format == "nccl-tests text");
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

// A second run of another collective, as a job script appends it.
const std::string kOther =
    replaced(replaced(kCurrent, "all_reduce_perf", "reduce_scatter_perf"), "float     sum", "double     sum");

TEST_CASE("nccl-tests text: repeats of a run are one table, runs that differ stay apart in order") {
  CHECK(read(kCurrent + kCurrent).measurements.size() == 12);
  CHECK(read(kCurrent + replaced(kCurrent, "minBytes 1048576", "minBytes 4096")).measurements.size() == 12);
  for (const auto& [from, to] : {std::pair{"all_reduce_perf", "reduce_scatter_perf"},
                                 {"nodeB", "nodeA"},
                                 {" iters: 20", " iters: 50"},
                                 {"nccl-library=22907", "nccl-library=22203"},
                                 {" sum ", " max "},
                                 {"   15.73 ", "    7.87 "}}) {
    CAPTURE(std::string(to));
    const MeasurementFile file = read_all(kCurrent + replaced(kCurrent, from, to) + kCurrent);
    REQUIRE(file.tables.size() == 3);
    for (const MeasurementLog& table : file.tables) CHECK(table.measurements.size() == 6);
    CHECK(file.tables[0].line == 13);
    CHECK(file.tables[1].line == 33);
    CHECK(file.tables[0].facts == file.tables[2].facts);
  }
}

TEST_CASE("nccl-tests text: types, reductions and roots of one table (-d all) are tables of their own") {
  const std::string both = replaced(
      kCurrent, "# Out of bounds",
      R"(     1048576        524288      half     sum      -1    50.00   20.97   31.46       0    52.00   20.16   30.25       0
# Out of bounds)");
  const MeasurementFile file = read_all(both);
  REQUIRE(file.tables.size() == 2);
  CHECK(file.tables[1].facts.data_type == "float16");
  CHECK(file.tables[1].line == 19);
  CHECK(file.tables[1].facts.ranks == 4u);
  CHECK(file.tables[1].notes.empty());
  CHECK(label(file.tables[0]) == "line 13: all_reduce, float32, 4 ranks, 3 sizes");
  // Back to a kind that has been: rows of two runs, line by line.
  CHECK(says(refusal(replaced(kCurrent, "524288     float     sum", "524288     float     max")),
             "file:18: several runs print into this file, rows cannot be told apart: types, reductions"));
}

TEST_CASE("nccl-tests text: a table without rows is said to be one, and hides nothing of the next") {
  const std::string empty = kCurrent.substr(0, kCurrent.find("     1048576    "));
  const MeasurementFile file = read_all(empty + kCurrent);
  REQUIRE(file.tables.size() == 1);
  CHECK(file.tables[0].measurements.size() == 6);
  REQUIRE(file.skipped.size() == 1);
  CHECK(file.skipped[0].line == 13);
  CHECK(read_all(empty + kCurrent + replaced(kCurrent, " sum ", " max ")).tables.size() == 2);
}

TEST_CASE("nccl-tests text: runs that print into one file at once are refused") {
  const std::string twice = replaced(kCurrent, "#  Rank  1 ", "#  Rank  0 ");
  CHECK(says(refusal(twice), "file:8: several runs print into this file"));
  CHECK(says(refusal(twice), "MPI=1"));
  const std::string header =
      "#       size         count      type   redop    root     time   algbw   busbw  #wrong "
      "    time   algbw   busbw  #wrong \n";
  CHECK(says(refusal(replaced(kCurrent, "     2097152    ", header + "     2097152    ")),
             "file:17: several runs print into this file, rows cannot be told apart: a second header"));
  // The second run begins before the first has ended, then both end.
  const std::size_t rows = kCurrent.find("     1048576    "), end = kCurrent.find("# Out of");
  const std::string both =
      kCurrent.substr(0, rows) + kCurrent.substr(0, end) + kCurrent.substr(rows) + kCurrent.substr(end);
  CHECK(says(refusal(both), "a table ends twice"));
}

TEST_CASE("nccl-tests text: a run that failed before its table is reported, its second try is read") {
  const std::string failed = kCurrent.substr(0, kCurrent.find("#\n#          ")) +
                             "nodeA: Test NCCL failure common.cu:1012 'unhandled system error'\n";
  const MeasurementFile file = read_all(failed + replaced(kCurrent, "Pid   1", "Pid   2"));
  REQUIRE(file.tables.size() == 1);
  CHECK(file.tables[0].measurements.size() == 6);
  CHECK(file.tables[0].notes.empty());
  REQUIRE(file.skipped.size() == 1);
  CHECK(file.skipped[0].line == 11);
  CHECK(says(file.skipped[0].reason, "unhandled system error"));
}

TEST_CASE("nccl-tests text: a run that did not end says so; rows before are kept") {
  const std::string cut = kCurrent.substr(0, kCurrent.find("# Out of"));
  const auto notes = [](const std::string& content) {
    std::string all;
    for (const std::string& note : read(content).notes) all += note + ";";
    return all;
  };
  CHECK(notes(kCurrent).empty());
  CHECK(read(cut).measurements.size() == 6);
  CHECK(says(notes(cut), "cut, or failed"));
  CHECK(says(notes(cut + "nodeA: Test CUDA failure common.cu:300 'out of memory'\n"), "out of memory"));
  CHECK(says(notes(cut + "slurmstepd: error: *** STEP 1.0 CANCELLED AT 2026-01-01 DUE TO TIME LIMIT ***\n"),
             "TIME LIMIT"));
  CHECK(says(notes(replaced(kCurrent, "values : 0 OK", "values : 3 FAILED")), "3 FAILED"));
  CHECK(says(notes(replaced(kCurrent, "14.30       0", "14.30       2")),
             "1 time left out because nccl-tests found wrong results (line 15)"));
  CHECK(notes(replaced(kCurrent, "agg iters: 1", "agg iters: 4")) ==
        "4 operations are launched as one group, times are per operation;");
  // The last row ends before its in-place time.
  const MeasurementLog early = read(kCurrent.substr(0, kCurrent.find("420.0")));
  CHECK(early.measurements.size() == 5);
  REQUIRE(early.skipped.size() == 1);
  CHECK(early.skipped[0].line == 18);
  CHECK(says(early.skipped[0].reason, "in-place: row ends early"));
}

TEST_CASE("nccl-tests text: other output inside a row, where the bandwidth proves the cells to be its") {
  const std::string start = kCurrent.substr(0, kCurrent.find("     2097152    "));
  const std::string end = "# Out of bounds values : 0 OK\n";
  const auto cells = [&](const std::string& torn) {
    const MeasurementLog log = read(start + torn + end);
    std::vector<double> times;
    for (const Measurement& m : log.measurements)
      if (m.bytes == 2097152) times.push_back(std::round(m.seconds * 1e7) / 10);
    CHECK((times.size() == 2 || !log.skipped.empty()));
    return times;
  };
  const std::string head = "     2097152        524288     float     sum      -1",
                    oop = "   200.0   10.49   15.73       0", ip = "    210.0    9.99   14.98       0";
  const std::string debug = "nodeA:1000:1000 [0] NCCL INFO Channel 00/24 : 0 1 2 3";
  const std::vector<double> both = {200.0, 210.0};
  CHECK(cells(head + debug + "\n" + oop + ip + "\n") == both);  // glued to the root
  CHECK(cells(head + " " + debug + "\n" + debug + "\n" + oop + ip + "\n") == both);
  CHECK(cells(head + oop + debug + "\n" + ip + "\n") == std::vector<double>{});  // #wrong is not known
  CHECK(cells(head + oop + " " + debug + "\n" + ip + "\n") == both);
  CHECK(cells(head + " warning: slow " + oop + ip + "\n") == both);  // on the line
  CHECK(cells(head + oop + " warning: slow" + ip + "\n") == both);
  CHECK(cells(head + debug + "\n" + "   200.0   11.49   15.73       0" + ip + "\n") == std::vector<double>{});
  CHECK(cells(head + debug + "\n") == std::vector<double>{});
  // Two digits prove nothing.
  const std::string small = kCurrent.substr(0, kCurrent.find("     1048576    ")) +
                            "        8192          2048     float     sum      -1" + debug + "\n" +
                            "   100.0    0.08    0.12       0    100.0    0.08    0.12       0\n" +
                            kCurrent.substr(kCurrent.find("     2097152    "));
  CHECK(read(small).measurements.size() == 4);
  CHECK(says(read(small).skipped.front().reason, "broken by other output"));
}

TEST_CASE("nccl-tests text: columns of all versions") {
  // 2.0, AllGather without redop, bandwidth per rank; out-of-place only; FP8; exponents; CPU time.
  const std::string per_rank =
      R"(# nThread 1 nGpus 4 minBytes 0 maxBytes 4096 step: 2(factor) warmup iters: 5 iters: 20 validation: 1
#   Rank  0 Pid  77 on nodeA device  0 [0x3d] GPU
#   Rank  3 Pid  77 on nodeA device  3 [0x3e] GPU
#                                             out-of-place                       in-place
#       size         count    type     time   algbw   busbw  error     time   algbw   busbw  error
     4194304        262144   float   1000.0    1.05    3.15  0e+00   1000.0    4.19    3.15    N/A
# Out of bounds values : 0 OK
)";
  CHECK(read(per_rank).measurements.size() == 2);
  CHECK(!read(per_rank).facts.nodes);  // the list is abridged
  CHECK(read(per_rank).facts.ranks == 4u);
  const std::string half = replaced(replaced(replaced(kCurrent, "   110.00    9.53   14.30       0", ""),
                                             "    210.0    9.99   14.98       0", ""),
                                    "    420.0    9.99   14.98     N/A", "");
  CHECK(read(half).measurements.size() == 3);
  CHECK(read(half).skipped.empty());
  CHECK(read(half).notes == std::vector<std::string>{"rows have their out-of-place half only"});
  const std::string fp8 =
      R"(#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
     4194304       4194304    f8e4m3     sum      -1  1.50e+06  2.80e-03  4.19e-03       0   1000.0    4.19    6.29     N/A
)";
  const MeasurementLog exponents = read(fp8);
  REQUIRE(exponents.measurements.size() == 2);
  CHECK(exponents.measurements[0].seconds == doctest::Approx(1.5));
  CHECK(exponents.facts.data_type == "float8_e4m3");
  CHECK(says(refusal(replaced(kCurrent, " time ", " cputime ")), "time of the CPU (-C)"));
}

TEST_CASE("nccl-tests text: facts of the devices, the collective where nobody names it") {
  const MeasurementLog log = read(kCurrent);
  CHECK(log.facts.gpus_per_node == 2u);
  CHECK(log.facts.gpu_model == "GPU");
  CHECK(log.facts.nccl_tests_version == "2.17.8");
  CHECK(log.facts.aggregated_iterations == 1u);
  CHECK(read(replaced(kCurrent, "nodeB", "nodeA")).facts.nodes == 1u);
  // Three GPUs here and one there: no number of GPUs a node.
  const MeasurementLog uneven = read(replaced(kCurrent, "1002 on   nodeB", "1002 on   nodeA"));
  CHECK(uneven.facts.nodes == 2u);
  CHECK(!uneven.facts.gpus_per_node);
  std::string unnamed =
      replaced(replaced(kCurrent, "# Collective test starting: all_reduce_perf\n", ""), "_perf", "");
  CHECK(read(unnamed).facts.collective == "all_reduce");  // 15.73 / 10.49 = 2 (4 - 1) / 4
  CHECK(says(read(unnamed).notes.front(), "is all_reduce"));
  unnamed = replaced(replaced(replaced(unnamed, "15.73", " 7.87"), "14.30", " 7.15"), "14.98", " 7.49");
  CHECK(read(unnamed).facts.collective == "reduce_scatter");
  CHECK(!read(replaced(unnamed, " sum ", "none ")).facts.collective);  // all_gather or alltoall
  // Two communicators side by side: nobody says which has what.
  const MeasurementLog split = read(replaced(kCurrent, "Rank  3 Group  0", "Rank  3 Group  1"));
  CHECK(!split.facts.ranks);
  CHECK(says(split.notes.front(), "2 communicators"));
}
