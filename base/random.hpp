// Random numbers as a function of (seed, who, which): nothing that ran before, and no thread, changes a draw.
#pragma once

#include <cstdint>

namespace caliper {

/// 64 well-mixed bits (SplitMix64's finaliser over the three keys; Steele, Lea, Flood, OOPSLA 2014).
constexpr std::uint64_t hash64(std::uint64_t seed, std::uint64_t who, std::uint64_t which) {
  const auto mix = [](std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15u;
  return mix(mix(mix(seed + kGamma) + who + kGamma) + which + kGamma);
}

/// Uniform in [0, 1).
constexpr double unit_draw(std::uint64_t seed, std::uint64_t who, std::uint64_t which) {
  return static_cast<double>(hash64(seed, who, which) >> 11) * 0x1p-53;
}

}  // namespace caliper
