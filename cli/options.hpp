// What the command line says, as plain values. Parsing is in main.cpp alone; a command is a function of its
// options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caliper {

struct SimulateOptions {
  std::string scenario;
  std::vector<std::string> groups, sizes;
  std::string parameters, out, trace, fidelity = "flow";
  bool json = false;
};
int run_simulate(const SimulateOptions& options);

struct CalibrateOptions {
  std::string scenario, out, stage, parameters, optimizer = "qlogei";
  std::optional<std::uint32_t> iterations;
  std::uint64_t seed = 1;
  bool resume = false, json = false;
  std::string command_line;
};
int run_calibrate(const CalibrateOptions& options);

struct ValidateOptions {
  std::string scenario, parameters, out;
  bool json = false;
  std::string command_line;
};
int run_validate(const ValidateOptions& options);

struct ExplainOptions {
  std::string scenario;
  std::vector<std::string> groups, sizes;
  bool json = false;
};
int run_explain(const ExplainOptions& options);

struct ImportOptions {
  std::vector<std::string> inputs;
  std::string out;
  bool json = false;
};
int run_import_nccl_tests(const ImportOptions& options);

}  // namespace caliper
