#include "engine/run_result.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace caliper {
namespace {

std::string line_of(const Wait& wait, const Program& program) {
  return fmt::format("{} waits in operation {} of {} for {} of slice {} {} {}", program.describe(wait.worker),
                     wait.operation + 1, wait.operations, wait.for_credit ? "the release" : "the arrival",
                     wait.slice + 1, wait.for_credit ? "by" : "from", program.describe(wait.on));
}

}  // namespace

std::string StuckReport::describe(const Program& program) const {
  constexpr std::size_t kMost = 12;
  const std::span<const Wait> shown = cycle.empty() ? waits : cycle;
  std::string text =
      fmt::format("stuck after {:.3f} us: {} of {} workers wait{}", seconds * 1e6, waits.size(),
                  program.workers.size(), cycle.empty() ? "" : ", these in a circle");
  for (std::size_t i = 0; i < std::min(kMost, shown.size()); ++i) text += "\n  " + line_of(shown[i], program);
  if (shown.size() > kMost) text += fmt::format("\n  and {} more", shown.size() - kMost);
  return text;
}

}  // namespace caliper
