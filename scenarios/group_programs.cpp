#include "scenarios/group_programs.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "base/hash.hpp"
#include "collectives/derivation.hpp"
#include "collectives/lowering.hpp"
#include "collectives/plan_line.hpp"
#include "collectives/proof.hpp"

namespace caliper {
namespace {

/// Of a folded program, at some 10 to 30 million a second: a minute or two.
constexpr std::uint64_t kMostOperations = 1'000'000'000;
/// Rows of a line that is worth bisecting.
constexpr std::size_t kShortestLine = 8;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// What is wrong with a size of a group.
std::optional<Error> check_size(const Scenario& scenario, std::uint32_t group, std::uint64_t bytes) {
  const ScenarioGroup& g = scenario.groups[group];
  const std::string where = fmt::format("group '{}'", g.name);
  if (bytes > kMaxMessageBytes)
    return Error{where, fmt::format("{} is no message size", format_bytes(bytes)),
                 fmt::format("at most {}", format_bytes(kMaxMessageBytes))};
  const std::uint64_t unit =
      g.element_bytes * (g.collective == Collective::all_reduce ? std::uint64_t{1} : g.ranks.size());
  if (bytes % unit != 0)
    return Error{where,
                 fmt::format("{} is no whole number of {} elements{}", format_bytes(bytes), g.data_type,
                             g.collective == Collective::all_reduce ? "" : " of every rank"),
                 fmt::format("{} is", format_bytes(bytes < unit ? unit : bytes - bytes % unit))};
  if (!g.plan_for(bytes))
    return Error{where, fmt::format("has no plan for {}", format_bytes(bytes)),
                 "a [[group.plan]] says what NCCL runs for a range of sizes"};
  return std::nullopt;
}

/// @param channels  given from outside: repeats or cuts the rings
Execution captured_execution(const ScenarioGroup& group, const PlanRange& range,
                             std::optional<std::uint32_t> channels) {
  const CapturedPlan& captured = *range.captured;
  Execution execution{.collective = group.collective,
                      .algorithm = range.algorithm,
                      .protocol = range.protocol,
                      .family = group.family,
                      .element_bytes = group.element_bytes,
                      .gpu_of_rank = captured.gpu_of_rank,
                      .rings = captured.rings,
                      .channels_origin = channels ? Origin::assumed : Origin::captured,
                      .rings_origin = Origin::captured,
                      .derivation = captured.facts};
  if (!channels) return execution;
  execution.rings.clear();
  for (std::uint32_t c = 0; c < *channels; ++c)
    execution.rings.push_back(captured.rings[c % captured.rings.size()]);
  return execution;
}

Result<Execution> execution_of_range(const Scenario& scenario, std::uint32_t group, const PlanRange& range,
                                     std::optional<std::uint32_t> channels) {
  const ScenarioGroup& g = scenario.groups[group];
  if (range.captured) return captured_execution(g, range, channels);
  auto execution =
      derive_execution(scenario.machine, g.ranks, g.collective, g.family, g.element_bytes,
                       channels ? channels : range.channels, g.nic_layout, {range.algorithm, range.protocol});
  if (!execution) return execution.problems();
  if (range.channels && !channels) execution->channels_origin = range.source;
  return execution;
}

/// Operations that are left at least, however well a program folds: workers with another list or other sizes
/// are not alike. Folding itself takes long where little folds.
std::uint64_t least_operations(const Program& program) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;
  std::uint64_t operations = 0;
  for (const ProgramWorker& worker : program.workers)
    if (known.emplace(worker.list.v, worker.first_size).second) operations += program.operations_of(worker);
  return operations;
}

SizeAnswer too_long(std::uint64_t operations) {
  return {kNone,
          fmt::format("would take at least {} operations, as its chunks are unequal and few ranks are alike; "
                      "at most {} are simulated: a size that ranks and channels divide has equal chunks and "
                      "is simulated once for all ranks that are alike",
                      operations, kMostOperations)};
}

}  // namespace

Result<Execution> execution_of(const Scenario& scenario, std::uint32_t group, std::uint64_t bytes,
                               std::optional<std::uint32_t> channels) {
  if (auto wrong = check_size(scenario, group, bytes)) return *std::move(wrong);
  return execution_of_range(scenario, group, *scenario.groups[group].plan_for(bytes), channels);
}

std::vector<std::uint64_t> sizes_of(const Scenario& scenario, std::span<const ExperimentId> experiments) {
  std::set<std::uint64_t> sizes;
  for (const ExperimentId id : experiments) sizes.insert(scenario.dataset[id].bytes);
  return {sizes.begin(), sizes.end()};
}

struct GroupPrograms::Row {
  Plan plan;
  std::once_flag lowered;
  std::optional<FoldedProgram> program;
};

/// Hashes of what sizes share: by execution and channels in use.
struct GroupPrograms::Frame {
  std::mutex mutex;
  std::map<std::pair<const Execution*, std::uint32_t>, std::string> hashes;
};

GroupPrograms::GroupPrograms(const Scenario& scenario, std::uint32_t group, Shortcuts shortcuts)
    : scenario_(&scenario), group_(group), shortcuts_(shortcuts), frames_(std::make_unique<Frame>()) {}
GroupPrograms::GroupPrograms(GroupPrograms&&) noexcept = default;
GroupPrograms& GroupPrograms::operator=(GroupPrograms&&) noexcept = default;
GroupPrograms::~GroupPrograms() = default;

std::size_t GroupPrograms::row_of(std::uint64_t bytes) const {
  const auto found = std::ranges::lower_bound(sizes_, bytes);
  CALIPER_CHECK(found != sizes_.end() && *found == bytes);
  return static_cast<std::size_t>(found - sizes_.begin());
}

const Execution& GroupPrograms::execution(std::size_t row) const { return *rows_[row]->plan.execution; }
const Plan& GroupPrograms::plan(std::size_t row) const { return rows_[row]->plan; }

Result<GroupPrograms> GroupPrograms::build(const Scenario& scenario, std::uint32_t group,
                                           std::vector<std::uint64_t> sizes, Shortcuts shortcuts,
                                           std::optional<std::uint32_t> channels) {
  CALIPER_CHECK(std::ranges::is_sorted(sizes, std::ranges::less_equal{}));
  GroupPrograms programs(scenario, group, shortcuts);
  programs.sizes_ = std::move(sizes);
  if (Problems problems = programs.make_plans(channels); !problems.empty()) return problems;
  return programs;
}

Problems GroupPrograms::make_plans(std::optional<std::uint32_t> channels) {
  const ScenarioGroup& group = scenario_->groups[group_];
  Problems problems;
  std::set<std::string> told;
  const auto tell = [&](const Error& problem) {
    if (told.insert(describe(problem)).second) problems.push_back(problem);
  };
  for (const std::uint64_t bytes : sizes_) {
    if (auto wrong = check_size(*scenario_, group_, bytes)) {
      tell(*wrong);
      continue;
    }
    const PlanRange* range = group.plan_for(bytes);
    auto& execution = executions_[range];
    if (!execution) {
      auto derived = execution_of_range(*scenario_, group_, *range, channels);
      if (!derived) {
        for (const Error& problem : derived.problems()) tell(problem);
        continue;
      }
      execution = std::make_unique<Execution>(*std::move(derived));
    }
    rows_.push_back(std::make_unique<Row>());
    rows_.back()->plan = make_plan(*execution, bytes);
  }
  if (!problems.empty()) return problems;

  std::vector<std::optional<Violation>> violations(rows_.size());
  tbb::parallel_for(std::size_t{0}, rows_.size(),
                    [&](std::size_t row) { violations[row] = prove(rows_[row]->plan); });
  for (std::size_t row = 0; row < rows_.size(); ++row)
    if (violations[row])
      tell({fmt::format("group '{}' at {}", group.name, format_bytes(sizes_[row])),
            fmt::format("the plan is wrong ({}): {}", name_of(violations[row]->what), violations[row]->text),
            "correct the rings or the partition that the scenario states"});
  if (!problems.empty()) return problems;

  if (shortcuts_.curves)
    find_lines();
  else
    for (std::size_t row = 0; row < rows_.size(); ++row) lines_.emplace_back(row, row);
  line_of_row_.resize(rows_.size());
  for (std::size_t line = 0; line < lines_.size(); ++line)
    for (std::size_t row = lines_[line].first; row <= lines_[line].second; ++row) line_of_row_[row] = line;
  return {};
}

/// Long lines within one execution; what is on a short one stands for itself.
void GroupPrograms::find_lines() {
  for (std::size_t first = 0; first < rows_.size();) {
    std::size_t end = first;
    std::vector<Plan> plans;
    for (; end < rows_.size() && rows_[end]->plan.execution == rows_[first]->plan.execution; ++end)
      plans.push_back(rows_[end]->plan);
    for (const auto& [from, to] : lines_of(plans)) {
      if (to - from + 1 >= kShortestLine)
        lines_.emplace_back(first + from, first + to);
      else
        for (std::size_t row = first + from; row <= first + to; ++row) lines_.emplace_back(row, row);
    }
    first = end;
  }
}

const FoldedProgram& GroupPrograms::program(std::size_t row) const {
  Row& r = *rows_[row];
  std::call_once(r.lowered,
                 [&] { r.program.emplace(lower(r.plan, scenario_->machine, scenario_->parameters)); });
  return *r.program;
}

std::string GroupPrograms::hash(std::size_t row) const {
  const Plan& plan = rows_[row]->plan;
  std::string frame;
  {
    const std::scoped_lock lock(frames_->mutex);
    std::string& known = frames_->hashes[{plan.execution, plan.channels()}];
    if (known.empty()) known = lower(plan, scenario_->machine, scenario_->parameters).frame_hash();
    frame = known;
  }
  return Hasher().add("calipersim execution 1").add(frame).add(plan.hash()).hex();
}

SizeAnswer GroupPrograms::run(ParameterView parameters, std::size_t row, CurvePoint* point) const {
  const FoldedProgram& program = this->program(row);
  if (const std::uint64_t least = least_operations(program.whole()); least > kMostOperations)
    return too_long(least);
  const std::vector<double> numbers = program.whole().numbers(parameters);
  const Folding& folding = program.folding(numbers);
  SizeAnswer answer{kNone, {}, false, folding.program.workers.size(), folding.program.operation_count()};
  if (answer.operations > kMostOperations) return too_long(answer.operations);
  const RunResult run = FoldedProgram::run(folding, numbers, shortcuts_.steady_state);
  answer.stuck = run.stuck.has_value();
  if (run.stuck)
    answer.failure = run.stuck->describe(program.whole());
  else
    answer.seconds = run.seconds;
  *point = {answer.seconds, run.decisions, !run.shared};
  return answer;
}

std::vector<SizeAnswer> GroupPrograms::answer_line(ParameterView parameters, std::size_t line,
                                                   std::vector<char> asked) const {
  const auto [first, last] = lines_[line];
  std::vector<SizeAnswer> answers(last - first + 1, SizeAnswer{kNone, {}});
  CurveBisection curve(std::vector<double>(sizes_.begin() + static_cast<std::ptrdiff_t>(first),
                                           sizes_.begin() + static_cast<std::ptrdiff_t>(last + 1)),
                       asked);
  while (!curve.wanted().empty()) {
    const std::vector<std::size_t> wanted = curve.wanted();
    std::vector<CurvePoint> points(wanted.size(), CurvePoint{kNone, 0, false});
    tbb::parallel_for(std::size_t{0}, wanted.size(), [&](std::size_t i) {
      answers[wanted[i]] = run(parameters, first + wanted[i], &points[i]);
    });
    curve.give(points);
  }
  for (std::size_t point = 0; point < answers.size(); ++point)
    if (asked[point] && !curve.known(point)) answers[point] = {curve.value(point), {}};
  return answers;
}

std::vector<SizeAnswer> GroupPrograms::answer(ParameterView parameters, std::span<const std::size_t> rows,
                                              const std::function<void()>& on_done) const {
  std::vector<SizeAnswer> answers(rows.size(), SizeAnswer{kNone, {}});
  std::map<std::size_t, std::vector<std::size_t>, std::greater<>> places;  // by line, large sizes first
  for (std::size_t i = 0; i < rows.size(); ++i) places[line_of_row_[rows[i]]].push_back(i);
  const std::vector<std::pair<std::size_t, std::vector<std::size_t>>> lines(places.begin(), places.end());
  tbb::parallel_for(std::size_t{0}, lines.size(), [&](std::size_t l) {
    const auto& [line, asked] = lines[l];
    const auto [first, last] = lines_[line];
    CurvePoint point;
    if (first == last) {
      answers[asked.front()] = run(parameters, first, &point);
      for (const std::size_t i : asked) answers[i] = answers[asked.front()];
    } else {
      std::vector<char> wanted(last - first + 1, 0);
      for (const std::size_t i : asked) wanted[rows[i] - first] = 1;
      const std::vector<SizeAnswer> of_line = answer_line(parameters, line, std::move(wanted));
      for (const std::size_t i : asked) answers[i] = of_line[rows[i] - first];
    }
    for (std::size_t i = 0; on_done && i < asked.size(); ++i) on_done();
  });
  return answers;
}

}  // namespace caliper
