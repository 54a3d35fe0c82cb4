// A scenario: machine, placements, groups of experiments with their measurements and plans, what is fitted
// and what is held out. Everything is resolved to plain values; nothing refers back to the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/parameters.hpp"
#include "calibration/dataset.hpp"
#include "calibration/loss.hpp"
#include "calibration/split.hpp"
#include "calibration/stage.hpp"
#include "collectives/execution.hpp"
#include "scenarios/size_range.hpp"
#include "topology/machine.hpp"
#include "topology/placement.hpp"
#include "validation/pooling.hpp"

namespace caliper {

/// What a NCCL log says of an execution, laid on the machine of the scenario.
struct CapturedPlan {
  std::vector<GpuAddress> gpu_of_rank;  ///< [ranks]
  std::vector<ChannelRing> rings;       ///< [channels]
  std::vector<std::string> facts;       ///< where each comes from, a line each
};

/// What NCCL ran for a range of sizes, as far as the scenario says.
struct PlanRange {
  SizeRange sizes;
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  std::optional<std::uint32_t> channels;  ///< absent: derived by rule
  Origin source = Origin::derived;
  std::shared_ptr<const CapturedPlan> captured;  ///< null: rings follow from rules
};

/// Sizes that the scenario declares not to be covered by the model, before anything is fitted.
struct OutOfScope {
  SizeRange sizes;
  std::string reason;
};

/// All but the size of a group of experiments.
struct ScenarioGroup {
  std::string name;
  Collective collective = Collective::all_reduce;
  std::uint32_t placement = 0;  ///< index in Scenario::placements
  std::uint32_t nodes = 0;
  std::uint32_t gpus_per_node = 0;
  std::vector<GpuAddress> ranks;  ///< [nodes * gpus_per_node], node-major
  std::string data_type;          ///< "float32"
  std::uint32_t element_bytes = 0;
  std::string nccl;  ///< version, "2.29.7"
  PartitionFamily family = PartitionFamily::c;
  NicLayout nic_layout = NicLayout::pxn;
  Pool pool = Pool::in_place;
  std::vector<PlanRange> plans;  ///< disjoint, ascending; cover every measured size in scope
  std::vector<OutOfScope> out_of_scope;

  /// Null where the scenario has no plan for the size: it cannot be simulated.
  const PlanRange* plan_for(std::uint64_t bytes) const;
  /// The reason; empty where the size is in scope.
  std::string out_of_scope_reason(std::uint64_t bytes) const;
};

struct FixedParameter {
  ParameterIndex parameter;
  double value;  ///< SI, within the bounds
  std::string reason;
};

/// What it fits stands in Scenario::split.stage_fits, in the same order.
struct ScenarioStage {
  std::string name;
  std::vector<ParameterIndex> tune;  ///< in the order of the file
  Loss loss = Loss::rmse;
  StageBudget budget;
  StopRule stop;
};

/// An effect that the simulator does not represent.
struct ModelGap {
  std::string name;
  std::string affects;  ///< names of groups, '*' stands for anything
  std::string what;
};

/// For the manifest.
struct InputFile {
  std::string path;  ///< relative to the scenario's folder where it lies inside, otherwise as given
  std::string sha256;
};

/// A measured row that is no experiment.
struct SkippedRow {
  std::string where;  ///< "file:line", or the file
  std::string reason;
};

/// Where the observations come from. Synthetic ones are called so wherever they appear.
enum class DataKind : std::uint8_t { measured, synthetic };
std::string_view name_of(DataKind kind);

struct Scenario {
  std::string title;
  DataKind data_kind;
  Machine machine;
  std::vector<Placement> placements;
  std::vector<ScenarioGroup> groups;  ///< the same rows as dataset.groups
  Dataset dataset;
  Split split;
  ParameterTable parameters;
  std::vector<ScenarioStage> stages;
  std::vector<FixedParameter> fixed;
  std::vector<ModelGap> model_gaps;
  std::vector<InputFile> inputs;  ///< scenario, system, then as they were read
  std::vector<SkippedRow> skipped;

  std::optional<std::uint32_t> find_group(std::string_view name) const;
  /// Defaults of the table with the fixed values in place.
  std::vector<double> starting_parameters() const;
};

/// Whether a name fits a pattern in which each '*' stands for any text.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace caliper
