#include "collectives/ring_search.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace caliper {
namespace {

using Ring = std::vector<std::uint32_t>;

constexpr std::uint64_t kMostSteps = 2'000'000;

class RingSearch {
 public:
  RingSearch(std::uint32_t gpus, std::vector<std::uint32_t> units, std::uint32_t most)
      : gpus_(gpus), units_(std::move(units)), most_(std::min(most, upper_bound())) {}

  std::vector<Ring> run() {
    add_ring();
    return std::move(best_);
  }

 private:
  std::uint32_t& units(std::uint32_t from, std::uint32_t to) {
    return units_[std::size_t{from} * gpus_ + to];
  }

  /// A ring takes a unit out of each node and one into it.
  std::uint32_t upper_bound() {
    std::uint32_t bound = 0xffffffff;
    for (std::uint32_t a = 0; a < gpus_; ++a) {
      std::uint32_t out = 0, in = 0;
      for (std::uint32_t b = 0; b < gpus_; ++b) {
        out += units(a, b);
        in += units(b, a);
      }
      bound = std::min({bound, out, in});
    }
    return bound;
  }

  /// Whether the search is over.
  bool add_ring() {
    if (rings_.size() > best_.size()) best_ = rings_;
    if (best_.size() >= most_) return true;
    Ring first(gpus_);
    std::iota(first.begin(), first.end(), 0u);
    if (try_ring(rings_.empty() ? first : Ring(rings_.back()))) return true;
    Ring path{0};
    return extend(path, 1);
  }

  bool try_ring(const Ring& ring) {
    for (std::uint32_t k = 0; k < gpus_; ++k)
      if (units(ring[k], ring[(k + 1) % gpus_]) == 0) return false;
    take(ring);
    const bool over = add_ring();
    give_back();
    return over;
  }

  void take(const Ring& ring) {
    for (std::uint32_t k = 0; k < gpus_; ++k) --units(ring[k], ring[(k + 1) % gpus_]);
    rings_.push_back(ring);
  }

  void give_back() {
    const Ring& ring = rings_.back();
    for (std::uint32_t k = 0; k < gpus_; ++k) ++units(ring[k], ring[(k + 1) % gpus_]);
    rings_.pop_back();
  }

  bool extend(Ring& path, std::uint64_t seen) {
    if (++steps_ > kMostSteps) return true;
    const std::uint32_t last = path.back();
    if (path.size() == gpus_) return try_ring(Ring(path));
    Ring next;
    for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu)
      if ((seen >> gpu & 1) == 0 && units(last, gpu) > 0) next.push_back(gpu);
    std::ranges::stable_sort(next, std::ranges::greater{},
                             [&](std::uint32_t gpu) { return units(last, gpu); });
    for (const std::uint32_t gpu : next) {
      path.push_back(gpu);
      const bool over = extend(path, seen | std::uint64_t{1} << gpu);
      path.pop_back();
      if (over) return true;
    }
    return false;
  }

  const std::uint32_t gpus_;
  std::vector<std::uint32_t> units_;  // that are left
  const std::uint32_t most_;
  std::vector<Ring> rings_, best_;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::vector<Ring> search_rings(std::uint32_t gpus, std::vector<std::uint32_t> units, std::uint32_t most) {
  CALIPER_CHECK(gpus >= 2 && gpus <= 64 && units.size() == std::size_t{gpus} * gpus);
  return RingSearch(gpus, std::move(units), most).run();
}

}  // namespace caliper
