// What a calibration or validation says about itself: everything as plain values, and one self-contained
// page.
//
// Numbers that do not exist are NaN and appear as an en dash. Times in s, sizes in bytes, errors as
// fractions.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parameters.hpp"
#include "calibration/split.hpp"
#include "validation/credibility.hpp"
#include "validation/error_statistics.hpp"

namespace caliper {

inline constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

/// One experiment.
struct ReportPoint {
  std::uint64_t bytes;
  double measured;
  std::vector<double> repeats;  ///< their smallest and largest are drawn
  double default_s = kNotGiven;
  double calibrated_s = kNotGiven;
  double alpha_beta_s = kNotGiven;  ///< the trivial baseline, fitted on the same fit data
  Set set = Set::validation;
  double outlier_deviation =
      kNotGiven;  ///< of a flagged point (validation/noise.hpp); flagged points stay in
};

/// The errors of one group in one set.
struct ReportSet {
  Set set;
  ErrorStatistics with_default;
  ErrorStatistics calibrated;
  ErrorStatistics alpha_beta;         ///< count 0 where it does not apply
  std::vector<std::string> reasons;   ///< why out of scope
  ErrorStatistics nearest_size = {};  ///< of held-out sizes beside fitted ones, else count 0
  ResidualStructure residuals = {};   ///< calibrated
};

struct ReportGroup {
  std::string name;
  std::string collective;  ///< "all_reduce"; with the ranks it gives the bus bandwidth
  std::uint32_t ranks;
  std::string placement;
  double noise = kNotGiven;  ///< noise floor: relative disagreement of repeats
  std::string program_hash;
  std::vector<ReportSet> sets;      ///< one per set that has points
  std::vector<ReportPoint> points;  ///< by size
  NoiseEstimate noise_estimate = {};
};

struct ReportDirectParameter {
  std::string id;
  std::string meaning;
  std::string value;  ///< as text: "200 Gbit/s"
  std::string given_by;
};

enum class ParameterRole { tuned, fixed, at_default };
enum class AtBound { no, lower, upper };

/// An auxiliary parameter; values in SI.
struct ReportParameter {
  std::string id;
  std::string meaning;
  Dimension dimension;
  Scale scale;
  double default_value;
  double lower;
  double upper;
  double value;                                       ///< final
  std::optional<std::pair<double, double>> interval;  ///< 95 %
  ParameterRole role;
  std::string stage;   ///< that tuned it, else empty
  std::string reason;  ///< why fixed or left at its default
  AtBound at_bound = AtBound::no;
};

struct ReportEvaluation {
  std::uint64_t number;  ///< from 1
  double loss;           ///< not finite where the simulator failed
  double best;           ///< so far
};

struct ReportStage {
  std::string name;
  std::string loss;          ///< "log_rmse"
  Dimension loss_dimension;  ///< time for rmse, number for the relative ones
  std::string budget;        ///< "30 iterations, 5000 runs, 10 min"
  std::string stop_reason;   ///< in words
  std::uint64_t evaluations = 0;
  std::uint64_t runs = 0;  ///< different ones that were needed, whether the cache knew them or not
  std::vector<ReportEvaluation> history;
};

/// What the fitted data of one stage say about its parameters.
struct ReportSensitivity {
  struct Row {
    std::string group;
    std::uint64_t bytes;
    std::vector<double> values;  ///< d ln T / d ln p at the optimum, [parameter]
  };
  std::string stage;
  std::vector<std::string> parameters;
  std::vector<Row> rows;
  std::vector<double> singular_values;  ///< descending
  double condition_number = kNotGiven;
  std::vector<std::vector<double>> correlation;  ///< [parameter][parameter], or empty
  std::vector<std::string>
      not_identified;  ///< sentences: "only gpu.launch + 2 gpu.slice_overhead is determined"
};

/// What other values of a direct fact would give. For people to see; nothing is chosen by it.
struct ReportAlternative {
  struct Candidate {
    std::string value;
    bool in_use = false;
    std::vector<double> mean_error;  ///< held-out, [groups]
  };
  std::string fact;  ///< "channels"
  std::vector<std::string> groups;
  std::vector<Candidate> candidates;
};

struct ReportModelGap {
  std::string name;
  std::string affects;
  std::string what;
};

struct ReportSkipped {
  std::string file;
  std::uint32_t line;
  std::string reason;
};

struct ReportProvenance {
  struct Input {
    std::string file;
    std::string sha256;
  };
  std::vector<Input> inputs;
  std::vector<std::pair<std::string, std::string>> versions;  ///< ("calipersim", "0.1.0")
  std::optional<std::uint64_t> seed;
  std::string command;  ///< "calibrate"; how it was called is for the manifest
  std::string split_hash;
};

/// A figure made elsewhere, shown as an image: what is inside cannot run or load anything.
struct ReportPicture {
  std::string caption;
  std::string svg;
};

struct ReportData {
  std::string title;
  std::string scenario;   ///< path
  std::string data_kind;  ///< "measured" or "synthetic"; shown beside the title
  std::string data_note;  ///< where the observations come from, one sentence; may be empty
  std::string note;       ///< a sentence that follows the verdict; may be empty
  std::vector<ReportGroup> groups;
  Credibility credibility;
  std::vector<ReportDirectParameter> direct;
  std::vector<ReportParameter> auxiliary;
  std::vector<ReportStage> stages;
  std::vector<ReportSensitivity> sensitivities;
  std::vector<ReportAlternative> alternatives;
  std::vector<ReportModelGap> model_gaps;
  std::vector<ReportSkipped> skipped;
  std::vector<ReportPicture> pictures;
  ReportProvenance provenance;
};

/// How well the held-out points were predicted, in plain sentences: mean errors over all of them with the
/// calibrated and the default parameters and of the alpha-beta baseline, in how many groups the calibrated
/// simulator is nearest, and the group it predicts worst.
std::string verdict(const ReportData& data);

/// One HTML page that needs no other file and no network, and no JavaScript except for its charts. Equal data
/// give equal bytes; nothing here depends on threads, clocks, or what a cache knew.
std::string render_report(const ReportData& data);

}  // namespace caliper
