// Where wall time goes: a value that is passed along, no global clock.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace caliper {

/// Runs from its construction on.
class Stopwatch {
 public:
  /// s, since the construction.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  /// s, since the last lap or the construction.
  double lap() {
    const Clock::time_point before = std::exchange(lap_began_, Clock::now());
    return std::chrono::duration<double>(lap_began_ - before).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_ = Clock::now(), lap_began_ = began_;
};

/// Work in phases that follow each other; what lies between two ends is the later one's.
class PhaseWatch {
 public:
  struct Phase {
    std::string name;
    double seconds;  ///< wall
  };

  void end(std::string name) { phases_.push_back({std::move(name), watch_.lap()}); }
  /// In the order of their ends.
  const std::vector<Phase>& phases() const { return phases_; }
  /// s, since the construction.
  double seconds() const { return watch_.seconds(); }

 private:
  Stopwatch watch_;
  std::vector<Phase> phases_;
};

}  // namespace caliper
