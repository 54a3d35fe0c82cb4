// The programs of one group, size by size: what they share is derived once, each is lowered when it is first
// run, and sizes that lie on a line are answered as a curve.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/execution.hpp"
#include "collectives/plan.hpp"
#include "engine/curve.hpp"
#include "engine/fold.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/shortcuts.hpp"

namespace caliper {

/// What NCCL runs for a group at a size. A channel count given here replaces the one of the scenario (to show
/// what another would predict; nothing is chosen by it). Problems: no message size; the scenario has no plan
/// for it; the rules cannot derive one.
Result<Execution> execution_of(const Scenario& scenario, std::uint32_t group, std::uint64_t bytes,
                               std::optional<std::uint32_t> channels = std::nullopt);

/// Sizes of experiments, ascending, each once.
std::vector<std::uint64_t> sizes_of(const Scenario& scenario, std::span<const ExperimentId> experiments);

/// The answer for one size.
struct SizeAnswer {
  double seconds;                ///< NaN where there is none
  std::string failure;           ///< why, for people
  bool stuck = false;            ///< the failure is that the program is stuck
  std::uint64_t workers = 0;     ///< that were simulated: one for all that are alike; 0 where none was
  std::uint64_t operations = 0;  ///< of these
};

class GroupPrograms {
 public:
  /// @param sizes  bytes, ascending, each once
  /// Plans are made and proved here. Problems: those of execution_of, a plan that is wrong; of all sizes,
  /// each problem once.
  static Result<GroupPrograms> build(const Scenario& scenario, std::uint32_t group,
                                     std::vector<std::uint64_t> sizes, Shortcuts shortcuts = {},
                                     std::optional<std::uint32_t> channels = std::nullopt);
  GroupPrograms(GroupPrograms&&) noexcept;
  GroupPrograms& operator=(GroupPrograms&&) noexcept;
  ~GroupPrograms();

  std::span<const std::uint64_t> sizes() const { return sizes_; }
  std::size_t row_of(std::uint64_t bytes) const;  ///< of a size that is here
  const Execution& execution(std::size_t row) const;
  const Plan& plan(std::size_t row) const;
  /// Lowered on first use, then kept. May be called from several threads.
  const FoldedProgram& program(std::size_t row) const;
  /// Identity of what is executed at a size: the same for all parameter values; 64 hex digits.
  std::string hash(std::size_t row) const;
  /// Rows that are answered together have one number; a row that is not on a line has its own.
  std::size_t line_of(std::size_t row) const { return line_of_row_[row]; }

  /// answers[i] is for rows[i]; it depends on the row and the parameters, not on what else is asked. On all
  /// threads. on_done is called for each of the rows that is answered, from any thread.
  std::vector<SizeAnswer> answer(ParameterView parameters, std::span<const std::size_t> rows,
                                 const std::function<void()>& on_done = {}) const;

 private:
  struct Row;
  struct Frame;
  GroupPrograms(const Scenario& scenario, std::uint32_t group, Shortcuts shortcuts);
  Problems make_plans(std::optional<std::uint32_t> channels);
  void find_lines();
  std::vector<SizeAnswer> answer_line(ParameterView parameters, std::size_t line,
                                      std::vector<char> asked) const;
  SizeAnswer run(ParameterView parameters, std::size_t row, CurvePoint* point) const;

  const Scenario* scenario_;
  std::uint32_t group_;
  Shortcuts shortcuts_;
  std::vector<std::uint64_t> sizes_;
  std::vector<std::unique_ptr<Row>> rows_;                             // [sizes]
  std::map<const PlanRange*, std::unique_ptr<Execution>> executions_;  // of the scenario's plan ranges
  std::unique_ptr<Frame> frames_;
  std::vector<std::size_t> line_of_row_;                    // [sizes]
  std::vector<std::pair<std::size_t, std::size_t>> lines_;  // first and last row
};

}  // namespace caliper
