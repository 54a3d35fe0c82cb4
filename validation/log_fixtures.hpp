// For tests: synthetic files in the shapes that nccl-tests and launchers leave behind, and what befalls such
// files on their way; no number here was measured.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "base/random.hpp"
#include "base/text.hpp"
#include "validation/measurement_log.hpp"

namespace caliper::test {

inline const std::string kCurrent = R"(srun ./build/all_reduce_perf -b 1M -e 4M -f 2
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

inline const std::string kOld =
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

inline const std::string kJson =
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

inline const std::string kCsv = R"(# synthetic
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

inline MeasurementFile read_all(const std::string& content) {
  const auto file = read_measurements(content, "file");
  if (!file) FAIL(describe(file.problems()));
  return *file;
}

/// The only table.
inline MeasurementLog read(const std::string& content) {
  const MeasurementFile file = read_all(content);
  REQUIRE(file.tables.size() == 1);
  return file.tables.front();
}

inline std::string refusal(const std::string& content) {
  const auto log = read_measurements(content, "file");
  return log ? "not refused" : describe(log.problems());
}

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// A kept time, without its place.
struct Kept {
  std::uint64_t bytes;
  Buffers buffers;
  double seconds;
  auto operator<=>(const Kept&) const = default;
};

/// All that a text gives, in order; nothing where it is refused.
inline std::vector<Kept> kept(const std::string& content) {
  std::vector<Kept> all;
  const auto file = read_measurements(content, "file");
  if (!file) return all;
  for (const MeasurementLog& table : file->tables)
    for (const Measurement& m : table.measurements) all.push_back({m.bytes, m.buffers, m.seconds});
  return all;
}

/// Every line through `change(line, number)`, joined again; the last line keeps its end.
template <class Change>
std::string each_line(const std::string& content, Change change) {
  std::string text;
  const auto lines = split_lines(content);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += change(std::string(lines[i]), i);
    if (i + 1 < lines.size() || content.ends_with('\n')) text += '\n';
  }
  return text;
}

/// What launchers and editors put before lines, another for every line.
inline std::string with_random_prefixes(const std::string& content, std::uint64_t seed) {
  static const std::vector<std::string> kPrefixes = {"",
                                                     " 0: ",
                                                     "[1,0]<stdout>:",
                                                     "[job@1,13]<stderr>: ",
                                                     "[STAT]:",
                                                     "run(), common.cu:967, ",
                                                     "node001: ",
                                                     "2026-01-01 10:00:00.123 ",
                                                     "> ",
                                                     "    ",
                                                     "| ",
                                                     "\t",
                                                     "\x1b[32m",
                                                     "Mon Dec  1 00:00:00 2026[1,0]<stdout>:",
                                                     "job #7: ",
                                                     "progress 10 %\r"};
  return each_line(content, [&](const std::string& line, std::size_t i) {
    return kPrefixes[hash64(seed, i, 0) % kPrefixes.size()] + line;
  });
}

/// What libraries print between lines.
inline std::string with_debug_lines(const std::string& content, std::uint64_t seed) {
  static const std::vector<std::string> kNoise = {
      "node001:10001:10002 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read",
      "node001:10001:10002 [0] NCCL INFO 24 coll channels, 24 collnet channels, 0 nvls channels, 32 p2p "
      "channels",
      "[W socket.cpp:401] 2 retries, 4 left: 10.0 20.0 30.0 0",
      "12 13 14 15 16 17 18 19",
      "libfabric:17:1:hsn:1: 1048576 262144 bytes in 3.14 us",
      "",
      "```",
      "|---|---|---|"};
  return each_line(content, [&](const std::string& line, std::size_t i) {
    std::string text;
    for (std::uint64_t n = hash64(seed, i, 1) % 3; n > 0; --n)
      text += kNoise[hash64(seed, i, n + 1) % kNoise.size()] + '\n';
    return text + line;
  });
}

inline std::string with_headers_twice(const std::string& content) {
  return each_line(content, [](const std::string& line, std::size_t) {
    return line.find('#') == std::string::npos ? line : line + '\n' + line;
  });
}

/// Whether `part` is the begin of `whole`.
inline bool is_prefix(const std::vector<Kept>& part, const std::vector<Kept>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

/// Whether each of `part` is one of `whole`.
inline bool all_among(std::vector<Kept> part, std::vector<Kept> whole) {
  const auto unique = [](std::vector<Kept>& all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  };
  unique(part);
  unique(whole);
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

}  // namespace caliper::test
