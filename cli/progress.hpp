// Progress lines on stderr: only on a terminal, only when the work takes longer than two seconds.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include <tbb/global_control.h>

#include "calibration/stage.hpp"

namespace caliper {

/// Limits TBB to `jobs` threads while it lives; none for 0.
std::unique_ptr<tbb::global_control> thread_limit(int jobs);

/// One line that is written over itself; cleared at the end.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// @param fraction  done, 0 .. 1: gives the time left
  void show(const std::string& text, double fraction);
  double elapsed() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now(), shown_{};
  bool terminal_;
  bool visible_ = false;
};

/// So many equal pieces of work; done_one() may be called from any thread.
class WorkProgress {
 public:
  WorkProgress(std::string what, std::size_t pieces) : what_(std::move(what)), pieces_(pieces) {}
  void done_one();

 private:
  std::string what_;
  std::size_t pieces_;
  std::atomic<std::size_t> done_{0};
  std::mutex mutex_;
  ProgressLine line_;
};

/// While it lives SIGINT and SIGTERM only set a flag; a second one ends the process as usual.
class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;
  bool raised() const;

 private:
  using Handler = void (*)(int);
  Handler before_interrupt_, before_terminate_;
};

/// While it lives SIGINT and SIGTERM end the process at once with exit code 130, after a message: for work
/// that is not asked whether to stop. An InterruptFlag within it comes first.
class InterruptExit {
 public:
  /// @param message  one line for stderr; outlives the object
  explicit InterruptExit(const char* message);
  ~InterruptExit();
  InterruptExit(const InterruptExit&) = delete;
  InterruptExit& operator=(const InterruptExit&) = delete;
};

/// Iteration, best loss, runs, rate and time left of a calibration; stops it when interrupted.
class CalibrationProgress final : public ProgressSink {
 public:
  explicit CalibrationProgress(const InterruptFlag& interrupt) : interrupt_(interrupt) {}
  bool after_batch(const Progress& progress) override;

 private:
  const InterruptFlag& interrupt_;
  ProgressLine line_;
};

}  // namespace caliper
