// calipersim signature: one hash of what the program predicts for a fixed set of small scenarios.
#include "scenarios/signature.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"

namespace caliper {
namespace {

std::string signature_json(std::span<const SignatureCase> cases, std::span<const std::string> differences) {
  nlohmann::ordered_json json{{"signature", signature_of(cases)}, {"cases", nlohmann::ordered_json::array()}};
  for (const SignatureCase& made : cases)
    json["cases"].push_back({{"case", made.name}, {"bytes", made.bytes}, {"seconds", made.seconds}});
  json["differences"] = std::vector<std::string>(differences.begin(), differences.end());
  return json.dump(2) + "\n";
}

}  // namespace

int run_signature(const SignatureOptions& options) {
  const auto cases = run_signature(options.cases.empty() ? shipped_folder("signature")
                                                         : std::filesystem::path(options.cases));
  if (!cases) return report(cases.problems());
  std::vector<std::string> differences;
  if (!options.compare.empty()) {
    const auto content = read_file(options.compare);
    if (!content) return report(content.problems());
    const auto expected = parse_signature(*content, options.compare);
    if (!expected) return report(expected.problems());
    differences = signature_differences(*expected, *cases);
  }
  if (options.json)
    fmt::print("{}", signature_json(*cases, differences));
  else if (options.compare.empty())
    fmt::print("{}", signature_text(*cases));
  else
    for (const std::string& difference : differences) fmt::print("{}\n", difference);
  if (!options.json && !options.compare.empty())
    fmt::print("{} of {} times moved; signature {}\n", differences.size(), cases->size(),
               signature_of(*cases));
  return differences.empty() ? exit_code::kDone : exit_code::kRegression;
}

}  // namespace caliper
