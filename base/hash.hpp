// SHA-256 of files and of structured values, for provenance: input hashes, program hashes, cache keys.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace caliper {

/// Feeds typed values into one SHA-256. Strings and spans are preceded by their length, so that two different
/// sequences of values never give the same stream.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  Hasher& add(std::string_view text);
  Hasher& add(std::uint64_t value);
  Hasher& add(double value);  ///< by its bits
  Hasher& add(std::span<const double> values);
  Hasher& add(std::span<const std::uint32_t> values);
  Hasher& add(std::span<const std::uint64_t> values);
  /// 64 lower-case hex digits. Call once.
  std::string hex();

 private:
  void add_bytes(const void* data, std::size_t size);
  struct Context;
  std::unique_ptr<Context> context_;
};

/// SHA-256 of the bytes alone: what sha256sum prints of a file with this content.
std::string sha256_hex(std::string_view bytes);

}  // namespace caliper
