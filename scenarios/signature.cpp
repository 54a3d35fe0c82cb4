#include "scenarios/signature.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "scenarios/calibrated_file.hpp"
#include "scenarios/scenario_loader.hpp"
#include "scenarios/scenario_simulator.hpp"
#include "scenarios/toml_section.hpp"

namespace caliper {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLastLine = "signature";
constexpr std::size_t kDigits = 12;

/// One run that cases.toml asks for.
struct Request {
  const Scenario* scenario;
  std::uint32_t group;
  std::vector<double> parameters;
  SignatureCase made;
};

/// Scenarios by name, each loaded once; null where it has problems, which are reported once.
class Scenarios {
 public:
  explicit Scenarios(fs::path folder) : folder_(std::move(folder)) {}
  const Scenario* load(const std::string& name, TomlFile& file) {
    const auto known = loaded_.find(name);
    if (known != loaded_.end()) return known->second ? &*known->second : nullptr;
    auto scenario = load_scenario(folder_ / name, folder_);
    if (!scenario) append(file.problems, scenario.problems());
    auto& slot = loaded_[name];
    if (scenario) slot = *std::move(scenario);
    return slot ? &*slot : nullptr;
  }

 private:
  fs::path folder_;
  std::map<std::string, std::optional<Scenario>> loaded_;  // a map: its values stay where they are
};

std::vector<std::uint64_t> read_sizes(TomlSection& section) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& text : section.texts("sizes")) {
    const auto bytes = parse_bytes(text);
    if (bytes)
      sizes.push_back(*bytes);
    else
      section.file().report(section.line_of("sizes"), bytes.problems());
  }
  return sizes;
}

void read_case(TomlSection& section, const fs::path& folder, Scenarios& scenarios,
               std::vector<Request>& requests) {
  const auto name = section.text("scenario");
  const auto group_name = section.text("group");
  const std::vector<std::uint64_t> sizes = read_sizes(section);
  const auto params = section.text("params", Need::optional);
  section.finish();
  if (!name || !group_name) return;
  const Scenario* scenario = scenarios.load(*name, section.file());
  if (!scenario) return;
  const auto group = scenario->find_group(*group_name);
  if (!group) {
    section.report("group", fmt::format("{} has no group '{}'", *name, *group_name));
    return;
  }
  const auto parameters = read_parameters(*scenario, params ? (folder / *params).string() : "");
  if (!parameters) {
    append(section.file().problems, parameters.problems());
    return;
  }
  const std::string word = fmt::format("{}/{}{}", fs::path(*name).stem().string(), *group_name,
                                       params ? "/" + fs::path(*params).stem().string() : "");
  for (const std::uint64_t bytes : sizes)
    requests.push_back({scenario, *group, *parameters, {word, bytes, 0}});
}

Problems simulate(Request& request) {
  const auto programs = GroupPrograms::build(*request.scenario, request.group, {request.made.bytes},
                                             {.curves = false, .steady_state = false});
  if (!programs) return programs.problems();
  const SizeAnswer answer = programs->answer(request.parameters, std::vector<std::size_t>{0}).front();
  if (!answer.failure.empty())
    return {
        {fmt::format("{} at {}", request.made.name, format_bytes(request.made.bytes)), answer.failure, ""}};
  request.made.seconds = answer.seconds;
  return {};
}

}  // namespace

Result<std::vector<SignatureCase>> run_signature(const fs::path& folder) {
  const fs::path path = folder / "cases.toml";
  const auto content = read_file(path);
  if (!content) return content.problems();
  const auto document = parse_toml(*content, path.string());
  if (!document) return document.problems();
  TomlFile file{path.string(), {}};
  TomlSection root(file, *document, "the list of cases", 1);
  root.count("schema", Need::required, 1, 1);
  Scenarios scenarios(folder);
  std::vector<Request> requests;
  for (TomlSection& section : root.tables("case")) read_case(section, folder, scenarios, requests);
  root.finish();
  if (requests.empty()) root.report("case", "there is no case", "add [[case]] with scenario, group, sizes");
  if (!file.problems.empty()) return std::move(file.problems);

  std::vector<Problems> found(requests.size());
  tbb::parallel_for(std::size_t{0}, requests.size(),
                    [&](std::size_t i) { found[i] = simulate(requests[i]); });
  Problems problems;
  for (Problems& some : found) append(problems, std::move(some));
  if (!problems.empty()) return problems;
  std::vector<SignatureCase> cases;
  for (const Request& request : requests) cases.push_back(request.made);
  return cases;
}

std::string signature_of(std::span<const SignatureCase> cases) {
  std::vector<double> seconds;
  for (const SignatureCase& made : cases) seconds.push_back(made.seconds);
  return Hasher().add(std::span<const double>(seconds)).hex().substr(0, kDigits);
}

std::string signature_text(std::span<const SignatureCase> cases) {
  std::string text = fmt::format("{:<40} {:>12} {:>24}\n", "case", "bytes", "seconds");
  for (const SignatureCase& made : cases)
    text += fmt::format("{:<40} {:>12} {:>24}\n", made.name, made.bytes, made.seconds);
  return text + fmt::format("{} {}\n", kLastLine, signature_of(cases));
}

Result<std::vector<SignatureCase>> parse_signature(std::string_view text, const std::string& file) {
  std::vector<SignatureCase> cases;
  const auto problem = [&](std::size_t line, std::string what, std::string hint) {
    return Error{fmt::format("{}:{}", file, line), std::move(what), std::move(hint)};
  };
  const std::vector<std::string_view> lines = split_lines(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string_view> cells = words(lines[i]);
    if (i == 0 && cells == std::vector<std::string_view>{"case", "bytes", "seconds"}) continue;
    if (cells.size() == 2 && cells[0] == kLastLine) {
      if (cells[1] != signature_of(cases))
        return problem(i + 1, fmt::format("{} is not the signature of the times above", cells[1]),
                       fmt::format("theirs is {}: was the file edited?", signature_of(cases)));
      return cases;
    }
    const auto bytes = cells.size() == 3 ? parse_uint(cells[1]) : std::nullopt;
    const auto seconds = cells.size() == 3 ? parse_double(cells[2]) : std::nullopt;
    if (i == 0 || !bytes || !seconds)
      return problem(i + 1, fmt::format("'{}' is no line of a signature", lines[i]),
                     "write the file with `calipersim signature`");
    cases.push_back({std::string(cells[0]), *bytes, *seconds});
  }
  return problem(lines.size(), "the last line, 'signature ...', is missing", "is the file whole?");
}

namespace {

const SignatureCase* find_case(std::span<const SignatureCase> cases, const SignatureCase& like) {
  const auto found = std::ranges::find_if(cases, [&](const SignatureCase& other) {
    return other.name == like.name && other.bytes == like.bytes;
  });
  return found == cases.end() ? nullptr : &*found;
}

std::string describe(const SignatureCase& made) {
  return fmt::format("{} at {}", made.name, format_bytes(made.bytes));
}

}  // namespace

std::vector<std::string> signature_differences(std::span<const SignatureCase> expected,
                                               std::span<const SignatureCase> now) {
  std::vector<std::string> differences;
  for (const SignatureCase& before : expected) {
    const SignatureCase* after = find_case(now, before);
    if (!after)
      differences.push_back(fmt::format("{}: gone", describe(before)));
    else if (std::bit_cast<std::uint64_t>(before.seconds) != std::bit_cast<std::uint64_t>(after->seconds))
      differences.push_back(fmt::format("{}: {} s, now {} s ({:+.3g} %)", describe(before), before.seconds,
                                        after->seconds, (after->seconds / before.seconds - 1) * 100));
  }
  for (const SignatureCase& after : now)
    if (!find_case(expected, after)) differences.push_back(fmt::format("{}: new", describe(after)));
  if (differences.empty() && signature_of(expected) != signature_of(now))
    differences.push_back("the same cases in another order");
  return differences;
}

}  // namespace caliper
