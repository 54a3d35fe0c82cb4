#include "validation/credibility.hpp"

#include <cmath>

#include <fmt/format.h>

namespace caliper {
namespace {

/// "1.7 %", "180 %": as many digits as a comparison of two needs.
std::string percent(double fraction) {
  return fraction < 0.0995 ? fmt::format("{:.2g} %", 100 * fraction)
                           : fmt::format("{:.0f} %", 100 * fraction);
}

/// Groups whose error shuffled times do not double; empty text where there is none.
std::string undecided_groups(const Credibility& credibility) {
  const LabelShuffle& found = *credibility.shuffle;
  std::vector<std::string> names;
  for (std::size_t group = 0; group < found.of_group.size(); ++group)
    if (found.of_group[group].points > 0 && !LabelShuffle::fails(found.of_group[group]))
      names.push_back(fmt::format("{} ({} against {})", credibility.group_names[group],
                                  percent(found.of_group[group].shuffled),
                                  percent(found.of_group[group].calibrated)));
  return names.empty() ? ""
                       : fmt::format("; less than {:g} times worse in {}", LabelShuffle::kFactor,
                                     fmt::join(names, ", "));
}

}  // namespace

std::vector<UnmodelledStructure> unmodelled_structure(const Dataset& dataset,
                                                      std::span<const Prediction> predictions) {
  std::vector<std::vector<const Prediction*>> in_scope(dataset.groups.size());
  for (const Prediction& prediction : predictions)
    if (prediction.set != Set::out_of_scope) in_scope[prediction.group].push_back(&prediction);
  std::vector<UnmodelledStructure> found;
  for (std::uint32_t group = 0; group < in_scope.size(); ++group) {
    const std::vector<SizedResidual> residuals = residuals_of(in_scope[group]);
    const ResidualStructure structure = residual_structure(residuals);
    std::string why = why_structured(structure, dataset.groups[group].noise);
    if (why.empty()) continue;
    found.push_back(
        {group, dataset.groups[group].name, structure, std::move(why), sign_pattern(residuals), {}});
  }
  return found;
}

std::string records_in_words(const Credibility& credibility) {
  const Disjointness& records = credibility.records;
  if (records.fitted == 0)
    return fmt::format(
        "Nothing is fitted here, {} records are held out: that they are not among those that the parameters "
        "were "
        "fitted to is for whoever fitted them to say",
        records.held_out);
  return fmt::format("{} calibration and {} validation records, {} in common (compared by content)",
                     records.fitted, records.held_out, records.in_common());
}

std::string shuffle_in_words(const Credibility& credibility) {
  if (!credibility.shuffle) return fmt::format("Label-shuffle control: not made, {}", credibility.no_shuffle);
  const LabelShuffle& found = *credibility.shuffle;
  if (found.all.points == 0) return "Label-shuffle control: no held-out point has a simulated time";
  const std::string errors = fmt::format("mean held-out error {} against {}{}", percent(found.all.shuffled),
                                         percent(found.all.calibrated), undecided_groups(credibility));
  if (found.fails())
    return fmt::format(
        "Label-shuffle control: fitted to times of other sizes, the simulator predicts badly, as it should: "
        "{}",
        errors);
  return fmt::format(
      "Label-shuffle control FAILED: fitted to times of other sizes, the simulator predicts nearly as well: "
      "{}. "
      "The held-out error hardly depends on what is fitted, so it says little of the calibration",
      errors);
}

std::string gaps_in_words(const UnmodelledStructure& structure) {
  if (structure.gaps.empty()) return "no declared gap explains it";
  return fmt::format("declared gaps that affect it: {}", fmt::join(structure.gaps, ", "));
}

std::string in_words(const UnmodelledStructure& structure) {
  constexpr std::size_t kNamed = 2;
  const std::size_t gaps = structure.gaps.size();
  return fmt::format(
      "{}: {}, {}; {}", structure.name, percent(structure.residuals.systematic()), structure.pattern,
      gaps <= kNamed ? gaps_in_words(structure) : fmt::format("{} declared gaps affect it", gaps));
}

}  // namespace caliper
