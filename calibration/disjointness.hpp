// Whether what is held out was measured apart from what is fitted: by the content of the records, whatever
// their groups and files are called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "calibration/split.hpp"

namespace caliper {

/// Hash of what was measured and what came out: collective, ranks, data type, bytes and the exact times of
/// all repeats, in ascending order. Names of groups, placements and files, and how repeats are pooled, are no
/// part of it. Repeats that were only partly copied, or times that were changed, are not recognised.
std::string record_hash(const Dataset& dataset, ExperimentId id);

/// Records that a fitted group and a held-out group share.
struct SharedRecords {
  std::uint32_t fitted_group;
  std::uint32_t held_out_group;
  std::vector<ExperimentId> held_out;  ///< of held_out_group, by size
  std::vector<ExperimentId> fitted;    ///< the same records of fitted_group
  /// Sizes that both groups have in these sets, where collective, ranks and data type agree: as many records
  /// could be in common.
  std::size_t comparable;

  /// Too many to be chance: two or more, and more than kChance of what is comparable.
  bool is_leak() const;
  /// Times are printed with four or more digits and vary by a per cent or so between runs, so that one record
  /// in a hundred may agree by chance in runs that have a single time per size.
  static constexpr double kChance = 0.05;
};

struct Disjointness {
  std::size_t fitted = 0;             ///< records
  std::size_t held_out = 0;           ///< records
  std::string fitted_hash;            ///< of the set of their hashes, whatever their order
  std::string held_out_hash;          ///< likewise
  std::vector<SharedRecords> shared;  ///< by fitted, then held-out group; none that share nothing

  std::size_t in_common() const;  ///< held-out records that are fitted as well
};

Disjointness compare_records(const Dataset& dataset, const Split& split);

/// One problem for each leak, which names both places.
/// @param where  of the problems: the scenario file
Problems leaks(const Dataset& dataset, const Disjointness& found, const std::string& where);

/// What agrees and may be chance, one sentence each.
std::vector<std::string> coincidences(const Dataset& dataset, const Disjointness& found);

}  // namespace caliper
