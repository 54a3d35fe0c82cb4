#include "base/hash.hpp"

#include <array>
#include <bit>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/check.hpp"

namespace caliper {

struct Hasher::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  Context() { CALIPER_CHECK(evp && EVP_DigestInit_ex(evp, EVP_sha256(), nullptr) == 1); }
  ~Context() { EVP_MD_CTX_free(evp); }
};

Hasher::Hasher() : context_(std::make_unique<Context>()) {}
Hasher::~Hasher() = default;

void Hasher::add_bytes(const void* data, std::size_t size) {
  CALIPER_CHECK(EVP_DigestUpdate(context_->evp, data, size) == 1);
}

Hasher& Hasher::add(std::uint64_t value) {
  add_bytes(&value, sizeof value);
  return *this;
}

Hasher& Hasher::add(double value) { return add(std::bit_cast<std::uint64_t>(value)); }

Hasher& Hasher::add(std::string_view text) {
  add(std::uint64_t{text.size()});
  add_bytes(text.data(), text.size());
  return *this;
}

Hasher& Hasher::add(std::span<const double> values) {
  add(std::uint64_t{values.size()});
  add_bytes(values.data(), values.size_bytes());
  return *this;
}

Hasher& Hasher::add(std::span<const std::uint32_t> values) {
  add(std::uint64_t{values.size()});
  add_bytes(values.data(), values.size_bytes());
  return *this;
}

Hasher& Hasher::add(std::span<const std::uint64_t> values) {
  add(std::uint64_t{values.size()});
  add_bytes(values.data(), values.size_bytes());
  return *this;
}

std::string Hasher::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  CALIPER_CHECK(EVP_DigestFinal_ex(context_->evp, digest.data(), &size) == 1);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  CALIPER_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace caliper
