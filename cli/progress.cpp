#include "cli/progress.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"

namespace caliper {

std::unique_ptr<tbb::global_control> thread_limit(int jobs) {
  if (jobs <= 0) return nullptr;
  return std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                               static_cast<std::size_t>(jobs));
}

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (visible_) std::fputs("\r\033[K", stderr);
}

double ProgressLine::elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

void ProgressLine::show(const std::string& text, double fraction) {
  constexpr std::chrono::milliseconds kPatience{2000}, kInterval{200};
  const auto now = Clock::now();
  if (!terminal_ || now - begin_ < kPatience || now - shown_ < kInterval) return;
  shown_ = now;
  visible_ = true;
  const double left = fraction > 0 ? elapsed() * (1 - fraction) / fraction : 0;
  const std::string line = fmt::format("\r\033[K{} - {:.0f} s left", text, std::ceil(left));
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

void WorkProgress::done_one() {
  const std::size_t done = ++done_;
  const std::lock_guard lock(mutex_);
  const double fraction = static_cast<double>(done) / static_cast<double>(pieces_);
  line_.show(fmt::format("{} {} of {} ({:.1f} a second)", what_, done, pieces_,
                         static_cast<double>(done) / std::max(line_.elapsed(), 1e-9)),
             fraction);
}

namespace {

// A signal handler can reach nothing else; InterruptFlag and InterruptExit own them.
volatile std::sig_atomic_t interrupted = 0;
const char* volatile last_words = "";

void on_signal(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptFlag::InterruptFlag() {
  interrupted = 0;
  before_interrupt_ = std::signal(SIGINT, on_signal);
  before_terminate_ = std::signal(SIGTERM, on_signal);
}

InterruptFlag::~InterruptFlag() {
  std::signal(SIGINT, before_interrupt_);
  std::signal(SIGTERM, before_terminate_);
}

bool InterruptFlag::raised() const { return interrupted != 0; }

namespace {

void say_and_exit(int) {
  // Only what a handler may call.
  const char* const words = last_words;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, words, std::strlen(words));
  ::_exit(exit_code::kInterrupted);
}

}  // namespace

InterruptExit::InterruptExit(const char* message) {
  last_words = message;
  std::signal(SIGINT, say_and_exit);
  std::signal(SIGTERM, say_and_exit);
}

InterruptExit::~InterruptExit() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  last_words = "";
}

bool CalibrationProgress::after_batch(const Progress& p) {
  const double fraction = static_cast<double>(p.iteration + 1) / (p.iterations + 1.0);
  line_.show(fmt::format("stage {}: iteration {} of {}, best loss {:.4g}, {} runs, {:.0f} a second", p.stage,
                         p.iteration, p.iterations, p.best_loss, p.counts.runs,
                         static_cast<double>(p.counts.runs) / std::max(p.elapsed, 1e-9)),
             fraction);
  return !interrupt_.raised();
}

}  // namespace caliper
