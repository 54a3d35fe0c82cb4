// What a simulation may leave out.
#pragma once

namespace caliper {

/// Ways to an answer that is the same to 1e-9 without all of the work.
struct Shortcuts {
  bool curves = true;        ///< sizes on a line are answered from runs of some of them
  bool steady_state = true;  ///< what repeats in a run is not simulated again and again
};

}  // namespace caliper
