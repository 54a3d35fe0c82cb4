// What every simulated experiment took, on disk: a calibration that was killed goes on where it stood.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/parameters.hpp"
#include "calibration/simulator.hpp"

namespace caliper {

/// What an outcome is a function of.
struct CacheKey {
  std::string program;     ///< Simulator::program_hash
  std::string parameters;  ///< parameters_hash
};

/// Hash of a full set of parameters: ids and the bits of the values, in the order of the ids, so that the
/// order of the table is irrelevant.
std::string parameters_hash(const ParameterTable& table, ParameterView parameters);

/// One SQLite file, `evaluations.sqlite`. It keeps times, failures and timeouts, no losses: those are always
/// recomputed, so that another loss or split costs no run. Gradients are not kept.
///
/// A batch is one transaction, on disk when store() returns (rollback journal, full synchronisation): kill -9
/// at any moment, or a loss of power, costs at most the batch that store() has not yet returned from. A
/// write-ahead log would be faster, but needs shared memory between processes, which the parallel file
/// systems of computing centres do not give. Batches are few, so the two flushes of each do not show.
///
/// Problems name the file and what to do. All functions may be called from several threads.
class EvaluationCache {
 public:
  /// Makes the file if it is missing or empty. Problems: not writable, damaged, of another program or
  /// version.
  static Result<EvaluationCache> open(const std::filesystem::path& path);
  static EvaluationCache in_memory();
  EvaluationCache(EvaluationCache&&) noexcept;
  EvaluationCache& operator=(EvaluationCache&&) noexcept;
  ~EvaluationCache();

  /// [key], empty where unknown.
  Result<std::vector<std::optional<Outcome>>> find(std::span<const CacheKey> keys) const;
  /// All or nothing. A key that is known keeps its first outcome.
  /// @param outcomes  [key]; seconds finite where the status is `time`
  Problems store(std::span<const CacheKey> keys, std::span<const Outcome> outcomes);
  Result<std::uint64_t> size() const;

 private:
  struct Database;
  explicit EvaluationCache(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace caliper
