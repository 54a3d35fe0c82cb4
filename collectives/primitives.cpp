#include "collectives/primitives.hpp"

#include "base/check.hpp"

namespace caliper {

std::string_view name_of(Primitive primitive) {
  switch (primitive) {
    case Primitive::send:
      return "send";
    case Primitive::receive_reduce_send:
      return "receive-reduce-send";
    case Primitive::receive_reduce_copy_send:
      return "receive-reduce-copy-send";
    case Primitive::receive_copy_send:
      return "receive-copy-send";
    case Primitive::receive:
      return "receive";
    case Primitive::receive_reduce_copy:
      return "receive-reduce-copy";
  }
  CALIPER_CHECK(false);
}

std::uint32_t PrimitiveSequence::steps() const {
  std::uint32_t count = 0;
  for (const PrimitiveRun& run : runs) count += run.count;
  return count;
}

std::uint32_t PrimitiveSequence::sends() const {
  std::uint32_t count = 0;
  for (const PrimitiveRun& run : runs)
    if (caliper::sends(run.primitive)) count += run.count;
  return count;
}

PrimitiveSequence make_sequence(Collective collective, std::uint32_t ranks) {
  using enum Primitive;
  CALIPER_CHECK(ranks >= 2);
  const std::uint32_t between = ranks - 2;
  switch (collective) {
    case Collective::all_reduce:
      return {ranks,
              ranks - 1,
              {{send, 1},
               {receive_reduce_send, between},
               {receive_reduce_copy_send, 1},
               {receive_copy_send, between},
               {receive, 1}}};
    case Collective::all_gather:
      return {ranks, 0, {{send, 1}, {receive_copy_send, between}, {receive, 1}}};
    case Collective::reduce_scatter:
      return {ranks, ranks - 1, {{send, 1}, {receive_reduce_send, between}, {receive_reduce_copy, 1}}};
  }
  CALIPER_CHECK(false);
}

}  // namespace caliper
