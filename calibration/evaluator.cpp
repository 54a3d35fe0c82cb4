#include "calibration/evaluator.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "base/stopwatch.hpp"

namespace caliper {
namespace {

/// A question that the cache does not answer: one call of the simulator, for one candidate.
struct Call {
  std::size_t candidate;
  double cost = 0;                        // bytes that its ranks hold: what a run's length grows with
  std::vector<ExperimentId> experiments;  // of the call
  std::vector<std::size_t> slots;         // [experiment of the call] where the outcome belongs
  std::vector<Outcome> outcomes;          // [experiment of the call]
};

std::string joined(const CacheKey& key) { return key.program + '\n' + key.parameters; }

void sanitise(Outcome& outcome) {
  // The cache keeps no gradient, and a cached answer must be the same as a fresh one.
  outcome.gradient.clear();
  if (outcome.status != OutcomeStatus::time) {
    outcome.seconds = 0;
  } else if (!(std::isfinite(outcome.seconds) && outcome.seconds > 0)) {
    std::string reason = fmt::format("the simulator gave a time of {} s", outcome.seconds);
    outcome = {OutcomeStatus::failure, 0, {}, std::move(reason)};
  } else {
    outcome.reason.clear();
  }
}

/// Largest first, so that no long run starts when the others are about to end. Which thread takes which call
/// is left to chance, what it writes is not: each call has its own place.
void run_all(std::vector<Call>& calls, const Simulator& simulator,
             std::span<const std::vector<double>> candidates) {
  std::vector<std::size_t> order(calls.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return calls[i].cost; });
  std::atomic<std::size_t> next = 0;
  tbb::parallel_for(std::size_t{0}, calls.size(), [&](std::size_t) {
    Call& call = calls[order[next.fetch_add(1)]];
    call.outcomes.resize(call.experiments.size());
    simulator.evaluate(candidates[call.candidate], call.experiments, call.outcomes);
    std::ranges::for_each(call.outcomes, sanitise);
  });
}

}  // namespace

const std::string& Evaluator::program_of(ExperimentId experiment) {
  const auto [place, is_new] = programs_.try_emplace(experiment.index);
  if (is_new) place->second = context_.simulator.program_hash(experiment);
  return place->second;
}

std::vector<CacheKey> Evaluator::keys_of(std::span<const std::vector<double>> candidates,
                                         std::span<const ExperimentId> experiments) {
  std::vector<CacheKey> keys;
  keys.reserve(candidates.size() * experiments.size());
  for (const std::vector<double>& candidate : candidates) {
    const std::string parameters = parameters_hash(context_.table, candidate);
    for (const ExperimentId experiment : experiments) keys.push_back({program_of(experiment), parameters});
  }
  return keys;
}

Result<EvaluatedBatch> Evaluator::evaluate(std::span<const std::vector<double>> candidates,
                                           std::span<const ExperimentId> experiments) {
  Stopwatch watch;
  const std::vector<CacheKey> keys = keys_of(candidates, experiments);
  auto known = context_.cache.find(keys);
  if (!known) return known.problems();

  // Slots that ask the same question share one answer, that of the first of them.
  std::unordered_map<std::string, std::size_t> first_slot;
  std::vector<std::size_t> answered_by(keys.size());
  std::map<std::pair<std::size_t, std::uint32_t>, Call> open;  // by candidate and Simulator::call_of
  for (std::size_t slot = 0; slot < keys.size(); ++slot) {
    const auto [place, is_new] = first_slot.try_emplace(joined(keys[slot]), slot);
    answered_by[slot] = place->second;
    if (!is_new || (*known)[slot]) continue;
    const std::size_t candidate = slot / experiments.size();
    const ExperimentId experiment = experiments[slot % experiments.size()];
    const Experiment& row = context_.dataset[experiment];
    Call& call = open[{candidate, context_.simulator.call_of(experiment)}];
    call.candidate = candidate;
    call.cost += static_cast<double>(row.bytes) * context_.dataset.groups[row.group].ranks;
    call.experiments.push_back(experiment);
    call.slots.push_back(slot);
  }
  std::vector<Call> calls;
  for (auto& [key, call] : open) calls.push_back(std::move(call));
  seconds_.cache += watch.lap();
  run_all(calls, context_.simulator, candidates);
  seconds_.simulator += watch.lap();

  EvaluatedBatch batch{experiments.size(), std::vector<Outcome>(keys.size()),
                       std::vector<std::uint64_t>(candidates.size())};
  std::vector<CacheKey> new_keys;
  std::vector<Outcome> new_outcomes;
  for (Call& call : calls) {
    batch.runs[call.candidate] += call.slots.size();
    for (std::size_t i = 0; i < call.slots.size(); ++i) {
      new_keys.push_back(keys[call.slots[i]]);
      new_outcomes.push_back(call.outcomes[i]);
      (*known)[call.slots[i]] = std::move(call.outcomes[i]);
    }
  }
  if (Problems problems = context_.cache.store(new_keys, new_outcomes); !problems.empty()) return problems;

  for (std::size_t slot = 0; slot < keys.size(); ++slot) batch.outcomes[slot] = *(*known)[answered_by[slot]];
  for (const auto& [key, slot] : first_slot) asked_.insert(key);
  counts_.distinct = asked_.size();
  counts_.runs += new_keys.size();
  counts_.hits += keys.size() - new_keys.size();
  seconds_.cache += watch.lap();
  return batch;
}

}  // namespace caliper
