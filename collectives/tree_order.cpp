#include "collectives/tree_order.hpp"

#include <bit>

#include <fmt/format.h>

#include "base/check.hpp"
#include "collectives/crossings.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kMostChildren = 3, kMostOfRoot = 2;

TreePlace first_tree(std::uint32_t members, std::uint32_t member) {
  if (member == 0) {
    const std::uint32_t child = members > 1 ? std::bit_ceil(members) / 2 : kNoRank;
    return {kNoRank, {kNoRank, child}};
  }
  const std::uint32_t bit = member & -member;
  TreePlace place{(member ^ bit) | bit << 1, {kNoRank, kNoRank}};
  if (place.up >= members) place.up = member ^ bit;
  std::uint32_t step = bit / 2;
  if (step == 0) return place;
  place.down[0] = member - step;
  while (step > 0 && member + step >= members) step /= 2;
  if (step > 0) place.down[1] = member + step;
  return place;
}

/// What is wrong with who is whose child.
Problems check_family(const ChannelTree& tree, std::uint32_t ranks, const std::string& where) {
  const auto problem = [&](std::string what, std::string hint = "") {
    return Problems{{where, std::move(what), std::move(hint)}};
  };
  if (tree.up.size() != ranks || tree.down.size() != ranks)
    return problem(fmt::format("a tree of {} ranks for {}", tree.up.size(), ranks));
  std::vector<std::uint32_t> listed(ranks, 0);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t children = tree.children(rank);
    for (std::uint32_t i = 0; i < kMostChildren; ++i) {
      const std::uint32_t child = tree.down[rank][i];
      if (child == kNoRank) continue;
      if (i >= children) return problem(fmt::format("rank {} has a gap among its children", rank));
      if (child >= ranks)
        return problem(fmt::format("rank {} has a child {} of {} ranks", rank, child, ranks));
      if (listed[child]++ > 0) return problem(fmt::format("rank {} is a child twice", child));
      if (tree.up[child] != rank)
        return problem(fmt::format("rank {} lists rank {} as a child, which sends elsewhere", rank, child),
                       "up and down have to agree");
    }
    if (tree.up[rank] == kNoRank && children > kMostOfRoot)
      return problem(fmt::format("the root, rank {}, has {} children", rank, children), "at most 2");
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (tree.up[rank] != kNoRank && listed[rank] == 0)
      return problem(fmt::format("rank {} has parent {}, which does not list it", rank, tree.up[rank]),
                     "up and down have to agree");
  return {};
}

Problems check_root(const ChannelTree& tree, const std::string& where) {
  std::vector<std::uint32_t> reached;
  for (std::uint32_t rank = 0; rank < tree.up.size(); ++rank)
    if (tree.up[rank] == kNoRank) reached.push_back(rank);
  if (reached.empty()) return {{where, "a tree without a root", "one rank has no parent"}};
  if (reached.size() > 1)
    return {{where, fmt::format("ranks {} and {} are both roots", reached[0], reached[1]), "a tree has one"}};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const std::uint32_t child : tree.down[reached[i]])
      if (child != kNoRank) reached.push_back(child);
  if (reached.size() != tree.up.size())
    return {{where,
             fmt::format("{} of {} ranks are below the root, parents of the others go in a circle",
                         reached.size(), tree.up.size()),
             ""}};
  return {};
}

Problems check_tree_crossings(const Execution& execution, const ChannelTree& tree, const std::string& where) {
  Problems problems;
  std::size_t next = 0;
  for (std::uint32_t rank = 0; rank < execution.ranks(); ++rank) {
    const std::uint32_t up = tree.up[rank];
    if (up == kNoRank || execution.gpu_of_rank[rank].node == execution.gpu_of_rank[up].node) continue;
    if (next == tree.crossings.size())
      return {{where,
               fmt::format("no crossing between rank {} and rank {}, which are on different nodes", rank, up),
               ""}};
    const TreeCrossing& crossing = tree.crossings[next++];
    append(problems, check_crossing(execution, crossing.up, rank, up, where));
    append(problems, check_crossing(execution, crossing.down, up, rank, where));
  }
  if (next < tree.crossings.size())
    problems.push_back(
        {where,
         fmt::format("{} crossings, but {} edges of the tree are between nodes", tree.crossings.size(), next),
         ""});
  return problems;
}

}  // namespace

TreePlace double_tree(std::uint32_t members, std::uint32_t member, std::uint32_t tree) {
  CALIPER_CHECK(member < members && tree < 2);
  if (tree == 0) return first_tree(members, member);
  const bool mirrored = members % 2 == 0;
  const auto there = [&](std::uint32_t m) {
    return mirrored ? members - 1 - m : (m + members - 1) % members;
  };
  const auto back = [&](std::uint32_t m) {
    return m == kNoRank ? kNoRank : mirrored ? members - 1 - m : (m + 1) % members;
  };
  const TreePlace place = first_tree(members, there(member));
  return {back(place.up), {back(place.down[0]), back(place.down[1])}};
}

Problems check_trees(const Execution& execution) {
  Problems problems = check_ranks(execution);
  for (std::size_t channel = 0; channel < execution.trees.size(); ++channel) {
    const ChannelTree& tree = execution.trees[channel];
    const std::string where = channel_name(channel);
    Problems here = check_family(tree, execution.ranks(), where);
    if (here.empty()) here = check_root(tree, where);
    if (here.empty()) here = check_tree_crossings(execution, tree, where);
    append(problems, std::move(here));
  }
  return problems;
}

}  // namespace caliper
