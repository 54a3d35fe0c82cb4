// The parameter table: what may be tuned (auxiliary) and what may not (direct). It is the single truth from
// which search spaces, `explain`, reports and docs are made. Modules contribute rows; `scenarios` joins them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace caliper {

enum class Domain { scale_up, scale_out };  ///< inside a node; between nodes
enum class Scale { linear, logarithmic };   ///< how a search space walks between the bounds

/// A parameter without one-to-one counterpart in the hardware: a default with its source, and bounds; in SI.
struct AuxiliaryParameter {
  std::string id;  ///< "net.send_delay"
  Domain domain;
  Dimension dimension;
  double value;  ///< default
  double lower;
  double upper;
  Scale scale;
  std::string meaning;
  std::string source;  ///< of the default
};

/// A property of the target that is observed or specified, never tuned. Its value stands where `given_by`
/// says.
struct DirectParameter {
  std::string id;  ///< "nvlink.rate"
  std::string meaning;
  std::string given_by;
};

using ParameterIndex = std::uint32_t;
/// One number per auxiliary parameter, in table order, SI.
using ParameterView = std::span<const double>;

class ParameterTable {
 public:
  /// Order of the parts is the order of the table. An id that stands twice is our own bug.
  ParameterTable(std::vector<AuxiliaryParameter> auxiliary, std::vector<DirectParameter> direct);

  std::size_t size() const { return auxiliary_.size(); }
  const AuxiliaryParameter& operator[](ParameterIndex index) const { return auxiliary_[index]; }
  std::span<const AuxiliaryParameter> auxiliary() const { return auxiliary_; }
  std::span<const DirectParameter> direct() const { return direct_; }
  std::optional<ParameterIndex> find(std::string_view id) const;
  const DirectParameter* find_direct(std::string_view id) const;
  /// For ids that the code itself names: missing is our own bug.
  ParameterIndex index_of(std::string_view id) const;
  std::vector<double> defaults() const;

  /// Index of a parameter that a user wants to tune or fix. A direct one, or an unknown name, is an error
  /// that says so.
  Result<ParameterIndex> tunable(std::string_view id) const;

 private:
  std::vector<AuxiliaryParameter> auxiliary_;
  std::vector<DirectParameter> direct_;
};

std::string_view name_of(Domain domain);  ///< "scale-up" or "scale-out"

}  // namespace caliper
