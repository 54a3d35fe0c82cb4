// What the command line says, as plain values. Parsing is in main.cpp alone; a command is a function of its
// options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/shortcuts.hpp"

namespace caliper {

struct SimulateOptions {
  std::string scenario;
  std::vector<std::string> groups, sizes;
  std::string parameters, out, trace, fidelity = "flow";
  bool json = false;
  Shortcuts shortcuts;
};
int run_simulate(const SimulateOptions& options);

struct CalibrateOptions {
  std::string scenario, out, stage, parameters, optimizer = "composite";
  std::optional<std::uint32_t> iterations;
  std::uint64_t seed = 1;
  bool resume = false, json = false;
  Shortcuts shortcuts;
  bool shuffle = true;  ///< label-shuffle control
  std::string command_line;
};
int run_calibrate(const CalibrateOptions& options);

struct ValidateOptions {
  std::string scenario, parameters, out;
  bool json = false;
  Shortcuts shortcuts;
  bool shuffle = true;
  std::string command_line;
};
int run_validate(const ValidateOptions& options);

struct CheckOptions {
  std::string scenario, parameters;
  std::string baseline;  ///< empty: only whether the scenario can run
  bool update = false;
  std::string reason, junit;
  bool json = false;
};
int run_check(const CheckOptions& options);

struct SignatureOptions {
  std::string cases;    ///< folder; empty: the shipped one
  std::string compare;  ///< file with the signature that is expected; empty: print ours
  bool json = false;
};
int run_signature(const SignatureOptions& options);

struct ExplainOptions {
  std::string scenario;
  std::vector<std::string> groups, sizes;
  std::string parameters;  ///< of "What limits it"
  std::string svg;         ///< file for the picture of the plan; empty: none
  bool json = false;
};
int run_explain(const ExplainOptions& options);

struct ImportOptions {
  std::vector<std::string> inputs;  ///< files, or folders of them
  std::string out;
  std::string system;  ///< of the scenario to write beside the measurements; empty: none
  bool json = false;
};
int run_import_nccl_tests(const ImportOptions& options);

struct ImportLogOptions {
  std::vector<std::string> inputs;  ///< files of one log
  std::string out;
  std::optional<std::uint32_t> ranks;  ///< of the job
  bool json = false;
};
int run_import_nccl_log(const ImportLogOptions& options);

struct ImportXmlOptions {
  std::string input, out;
  bool json = false;
};
int run_import_nccl_xml(const ImportXmlOptions& options);

}  // namespace caliper
