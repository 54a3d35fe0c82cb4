#include "base/parameters.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {

ParameterTable::ParameterTable(std::vector<AuxiliaryParameter> auxiliary, std::vector<DirectParameter> direct)
    : auxiliary_(std::move(auxiliary)), direct_(std::move(direct)) {
  for (std::size_t i = 0; i < auxiliary_.size(); ++i) {
    const AuxiliaryParameter& row = auxiliary_[i];
    CALIPER_CHECK(find(row.id) == i);
    CALIPER_CHECK(find_direct(row.id) == nullptr);
    CALIPER_CHECK(row.lower < row.upper && row.lower <= row.value && row.value <= row.upper);
    CALIPER_CHECK(row.scale == Scale::linear || row.lower > 0);
  }
}

std::optional<ParameterIndex> ParameterTable::find(std::string_view id) const {
  const auto found = std::ranges::find(auxiliary_, id, &AuxiliaryParameter::id);
  if (found == auxiliary_.end()) return std::nullopt;
  return static_cast<ParameterIndex>(found - auxiliary_.begin());
}

const DirectParameter* ParameterTable::find_direct(std::string_view id) const {
  const auto found = std::ranges::find(direct_, id, &DirectParameter::id);
  return found == direct_.end() ? nullptr : &*found;
}

ParameterIndex ParameterTable::index_of(std::string_view id) const {
  const auto index = find(id);
  CALIPER_CHECK(index.has_value());
  return *index;
}

std::vector<double> ParameterTable::defaults() const {
  std::vector<double> values;
  for (const AuxiliaryParameter& row : auxiliary_) values.push_back(row.value);
  return values;
}

Result<ParameterIndex> ParameterTable::tunable(std::string_view id) const {
  if (const auto index = find(id)) return *index;
  if (const DirectParameter* direct = find_direct(id))
    return Error{"", fmt::format("'{}' is a direct parameter and is never tuned", id),
                 fmt::format("it is given by {}", direct->given_by)};
  std::vector<std::string> names;
  for (const AuxiliaryParameter& row : auxiliary_) names.push_back(row.id);
  return Error{"", fmt::format("unknown parameter '{}'", id), suggestion(id, names)};
}

std::string_view name_of(Domain domain) { return domain == Domain::scale_up ? "scale-up" : "scale-out"; }

}  // namespace caliper
