#include "scenarios/scenario.hpp"

#include <algorithm>

namespace caliper {

std::string_view name_of(DataKind kind) { return kind == DataKind::measured ? "measured" : "synthetic"; }

const PlanRange* ScenarioGroup::plan_for(std::uint64_t bytes) const {
  const auto found =
      std::ranges::find_if(plans, [&](const PlanRange& plan) { return plan.sizes.contains(bytes); });
  return found == plans.end() ? nullptr : &*found;
}

std::string ScenarioGroup::out_of_scope_reason(std::uint64_t bytes) const {
  for (const OutOfScope& range : out_of_scope)
    if (range.sizes.contains(bytes)) return range.reason;
  return {};
}

std::optional<std::uint32_t> Scenario::find_group(std::string_view name) const {
  const auto found = std::ranges::find(groups, name, &ScenarioGroup::name);
  if (found == groups.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - groups.begin());
}

std::vector<double> Scenario::starting_parameters() const {
  std::vector<double> values = parameters.defaults();
  for (const FixedParameter& fixed_one : fixed) values[fixed_one.parameter] = fixed_one.value;
  return values;
}

bool matches(std::string_view pattern, std::string_view name) {
  // Greedy with one point of return: the last star, and where in the name its text ends.
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

}  // namespace caliper
