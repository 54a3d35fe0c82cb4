// What plays the same role is simulated once: a program whose workers, edges and links are the classes of
// another's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/run_result.hpp"

namespace caliper {

/// The classes are the coarsest under which members of a class are alike and have alike neighbours, in order:
/// workers by their list, their sizes and what hangs on each port; edges by their window, mode, latencies,
/// ends and links; links by their capacity and by how many edges of each class cross them. By induction over
/// time all members of a class do the same at the same time: max-min rates are unique, so they have the
/// symmetry of what shares. Found by colour refinement, then checked class by class, so that no accident of
/// hashing can pass for symmetry. Source: Paige & Tarjan, Three partition refinement algorithms, SIAM J.
/// Comput. 16 (1987).
struct Folding {
  /// A row per class, in the order of their first members; each stands for its members. Links that cannot
  /// fill are not in it.
  Program program;
  std::vector<std::uint32_t> class_of_worker;           ///< [workers of the whole program]
  std::vector<std::uint32_t> first_worker, first_edge;  ///< [workers, edges of `program`] the first member
};

/// @param can_fill  links_that_can_fill(program, numbers): others need not be alike
/// Cost: O(size of the program, its operations not counted, * log), whatever the operations are.
Folding fold(const Program& program, const std::vector<char>& can_fill);

/// A program that is run folded. Folded anew only where numbers change which links can fill.
class FoldedProgram {
 public:
  explicit FoldedProgram(Program program);
  FoldedProgram(FoldedProgram&&) noexcept;
  FoldedProgram& operator=(FoldedProgram&&) noexcept;
  ~FoldedProgram();

  const Program& whole() const { return whole_; }
  /// May be called from several threads.
  const Folding& folding(std::span<const double> numbers) const;
  /// The result of run_flow_level(whole(), numbers); waits are those of the first members of classes. May be
  /// called from several threads.
  RunResult run(ParameterView parameters) const;
  /// The same where numbers() and folding(numbers) are at hand.
  /// @param steady  by run_to_steady_state()
  static RunResult run(const Folding& folding, std::span<const double> numbers, bool steady = false);

 private:
  struct Foldings;
  Program whole_;
  std::unique_ptr<Foldings> foldings_;
};

}  // namespace caliper
