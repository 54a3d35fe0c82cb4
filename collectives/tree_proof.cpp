#include "collectives/tree_proof.hpp"

#include <deque>
#include <vector>

#include <fmt/format.h>

namespace caliper {
namespace {

/// Contributions of the ranks at the places [begin, end) of the walk.
struct Sum {
  std::uint32_t begin, end;
  bool operator==(const Sum&) const = default;
};

/// Bounded FIFOs, one for each child.
class Fifos {
 public:
  Fifos(std::uint32_t children, std::uint32_t window)
      : window_(window), counts_(children, {0, 0}), slots_(std::size_t{children} * window, {0, 0}) {}

  bool empty(std::uint32_t child) const { return counts_[child].sent == counts_[child].taken; }
  bool full(std::uint32_t child) const { return counts_[child].sent - counts_[child].taken == window_; }
  void push(std::uint32_t child, Sum sum) { slots_[slot(child, counts_[child].sent++)] = sum; }
  Sum pop(std::uint32_t child) { return slots_[slot(child, counts_[child].taken++)]; }

 private:
  struct Counts {
    std::uint32_t sent, taken;
  };
  std::size_t slot(std::uint32_t child, std::uint32_t message) const {
    return std::size_t{child} * window_ + message % window_;
  }

  std::uint32_t window_;
  std::vector<Counts> counts_;
  std::vector<Sum> slots_;
};

class TreeExecution {
 public:
  TreeExecution(const ChannelTree& tree, std::uint32_t window)
      : tree_(tree),
        window_(window),
        slices_(window + 2),
        ranks_(static_cast<std::uint32_t>(tree.up.size())),
        up_(ranks_, window),
        down_(ranks_, window),
        place_(ranks_, kNoRank),
        done_(2 * std::size_t{ranks_}, 0) {
    walk();
  }

  std::optional<Violation> run() {
    for (std::uint32_t worker = 0; worker < 2 * ranks_; ++worker) ready_.push_back(worker);
    while (!ready_.empty()) {
      const std::uint32_t worker = ready_.front();
      ready_.pop_front();
      while (!bad_ && done_[worker] < slices_ && step(worker)) ++done_[worker];
      if (bad_) return bad_;
    }
    for (std::uint32_t worker = 0; worker < 2 * ranks_; ++worker)
      if (done_[worker] != slices_)
        return Violation{Violated::progress,
                         fmt::format("with a window of {} rank {} waits for ever in slice {}", window_,
                                     worker / 2, done_[worker])};
    return std::nullopt;
  }

 private:
  /// Workers of a rank; the root's "broadcast" does what both of its halves would, its "reduce" nothing.
  static std::uint32_t reduce_of(std::uint32_t rank) { return 2 * rank; }
  static std::uint32_t broadcast_of(std::uint32_t rank) { return 2 * rank + 1; }
  bool is_root(std::uint32_t rank) const { return tree_.up[rank] == kNoRank; }

  void walk() {
    std::vector<std::uint32_t> stack;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      if (is_root(rank)) stack.push_back(rank);
    for (std::uint32_t next = 0; !stack.empty();) {
      const std::uint32_t rank = stack.back();
      stack.pop_back();
      if (place_[rank] != kNoRank) continue;  // below itself: waits for ever
      place_[rank] = next++;
      for (std::uint32_t i = tree_.children(rank); i-- > 0;) stack.push_back(tree_.down[rank][i]);
    }
  }

  bool step(std::uint32_t worker) {
    const std::uint32_t rank = worker / 2;
    if (is_root(rank)) return worker == reduce_of(rank) || turn_round(rank);
    return worker == reduce_of(rank) ? reduce(rank) : broadcast(rank);
  }

  bool children_sent(std::uint32_t rank) const {
    for (std::uint32_t i = 0; i < tree_.children(rank); ++i)
      if (up_.empty(tree_.down[rank][i])) return false;
    return true;
  }

  bool children_have_room(std::uint32_t rank) const {
    for (std::uint32_t i = 0; i < tree_.children(rank); ++i)
      if (down_.full(tree_.down[rank][i])) return false;
    return true;
  }

  /// The own contribution and those of the children.
  Sum take_sum(std::uint32_t rank) {
    Sum sum{place_[rank], place_[rank] + 1};
    for (std::uint32_t i = 0; i < tree_.children(rank); ++i) {
      const std::uint32_t child = tree_.down[rank][i];
      const Sum from = up_.pop(child);
      ready_.push_back(reduce_of(child));
      if (from.begin != sum.end)
        bad_ = Violation{Violated::data,
                         fmt::format("rank {} adds contributions of places {} to {} to those up to {}", rank,
                                     from.begin, from.end, sum.end)};
      sum.end = from.end;
    }
    return sum;
  }

  void send_down(std::uint32_t rank, Sum sum) {
    if (sum != Sum{0, ranks_})
      bad_ = Violation{Violated::data, fmt::format("rank {} ends with the contributions of {} of {} ranks",
                                                   rank, sum.end - sum.begin, ranks_)};
    for (std::uint32_t i = 0; i < tree_.children(rank); ++i) {
      const std::uint32_t child = tree_.down[rank][i];
      down_.push(child, sum);
      ready_.push_back(broadcast_of(child));
    }
  }

  bool reduce(std::uint32_t rank) {
    if (!children_sent(rank) || up_.full(rank)) return false;
    up_.push(rank, take_sum(rank));
    const std::uint32_t parent = tree_.up[rank];
    ready_.push_back(is_root(parent) ? broadcast_of(parent) : reduce_of(parent));
    return true;
  }

  bool turn_round(std::uint32_t rank) {
    if (!children_sent(rank) || !children_have_room(rank)) return false;
    send_down(rank, take_sum(rank));
    return true;
  }

  bool broadcast(std::uint32_t rank) {
    if (down_.empty(rank) || !children_have_room(rank)) return false;
    const Sum sum = down_.pop(rank);
    const std::uint32_t parent = tree_.up[rank];
    ready_.push_back(broadcast_of(parent));
    send_down(rank, sum);
    return true;
  }

  const ChannelTree& tree_;
  const std::uint32_t window_, slices_, ranks_;
  Fifos up_, down_;                   // by child
  std::vector<std::uint32_t> place_;  // [ranks], in the walk
  std::vector<std::uint32_t> done_;   // [workers], slices
  std::deque<std::uint32_t> ready_;   // workers that may go on
  std::optional<Violation> bad_;
};

}  // namespace

std::optional<Violation> prove_tree(const ChannelTree& tree, std::uint32_t window) {
  if (window == 0) return Violation{Violated::progress, "a window of 0 slices lets nobody send"};
  return TreeExecution(tree, window).run();
}

}  // namespace caliper
