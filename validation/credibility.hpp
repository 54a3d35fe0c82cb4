// What speaks for and against believing a validation: controls that a calibration has to pass, and what it
// leaves unexplained.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/disjointness.hpp"
#include "calibration/label_shuffle.hpp"
#include "validation/prediction.hpp"

namespace caliper {

/// A group whose residuals are more than noise (rule: validation/residual_structure.hpp), over all of its
/// sizes in scope, fitted or held out. Calibration cannot remove it: the model lacks something.
struct UnmodelledStructure {
  std::uint32_t group;
  std::string name;
  ResidualStructure residuals;
  std::string why;                ///< by which part of the rule
  std::string pattern;            ///< "too slow up to 64 MiB (+2.00 %), too fast above (-1.10 %)"
  std::vector<std::string> gaps;  ///< declared model gaps that affect the group
};

/// One per group that has such structure, in order of the groups; `gaps` are left empty.
std::vector<UnmodelledStructure> unmodelled_structure(const Dataset& dataset,
                                                      std::span<const Prediction> predictions);

struct Credibility {
  std::vector<std::string> group_names;  ///< [Dataset::groups]
  Disjointness records;
  std::vector<std::string> coincidences;  ///< records that agree by chance, in words
  std::optional<LabelShuffle> shuffle;
  std::string no_shuffle;  ///< why there is none
  std::vector<UnmodelledStructure> unmodelled;

  /// Shuffled times predict as well as the true ones: the validation says nothing of the calibration.
  bool is_suspicious() const { return shuffle && !shuffle->fails(); }
};

/// "12 fitted and 59 held-out records, none in common".
std::string records_in_words(const Credibility& credibility);
/// What the label-shuffle control found, or why it was not made.
std::string shuffle_in_words(const Credibility& credibility);
/// "ar-1x4: 2.1 %, too slow up to 32 MiB ...; 3 declared gaps affect it": one line.
std::string in_words(const UnmodelledStructure& structure);
/// "declared gaps that affect it: a, b", or that there is none.
std::string gaps_in_words(const UnmodelledStructure& structure);

/// `validation.json`: one object per summary under "groups", the controls under "records", "label_shuffle"
/// and "unmodelled_structure" (scenarios/FORMAT.md). Errors as fractions, sizes in bytes; a number that is
/// not finite is null.
std::string validation_json(std::span<const GroupSummary> summaries, const Credibility& credibility);

}  // namespace caliper
