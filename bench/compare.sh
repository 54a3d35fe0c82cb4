#!/usr/bin/env bash
# Our engine against SimGrid on the same work, alternately in one run: builds both, measures, checks that the
# completion times agree, writes out/bench/bench.json and bench.svg, prints the table. Exit code 1: they disagree.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
usage: bench/compare.sh [--quick] [--no-run] [--update-readme]
  --quick          without the largest case and without growth; some seconds instead of some minutes
  --no-run         measure nothing: table and picture of the out/bench/bench.json that is there
  --update-readme  put table and picture into README.md, bench.json and bench.svg into docs/
TEXT
}

quick=false run=true update=false
for argument in "$@"; do
  case $argument in
    --quick) quick=true ;;
    --no-run) run=false ;;
    --update-readme) update=true ;;
    --help) usage && exit 0 ;;
    *) { echo "compare.sh: unknown argument '$argument'" && usage; } >&2 && exit 2 ;;
  esac
done
if $quick && $update; then
  echo "compare.sh: --update-readme needs all cases, leave out --quick" >&2
  exit 2
fi

# Modes of ring_work_bench.
modes=(plain folded steady)

# SimGrid's precision, and the work. SimGrid merges events within its precision: 1e-12 s gives its right answers; the
# largest case has none that a nanosecond moves, runs a little faster with SimGrid's default, and once.
rounds=3
cases=(
  "1e-12 -n 64 -C 8 -S 16MiB"
  "1e-12 -n 64 -C 1 -S 512MiB --chunk 512KiB"
  "1e-12 -n 64 -C 8 -S 16MiB --spines 4"
  "1e-12 -n 64 -C 8 -S 16MiB --shuffle 1"
  "1e-12 -n 256 -C 1 -S 16MiB"
)
largest="1e-9 -n 1024 -C 1 -S 16MiB"

bin=build/release/bin
out=out/bench
json=$out/bench.json

build() {
  tools/install_packages.sh libsimgrid-dev
  local log
  log=$(mktemp)
  { cmake --preset release && cmake --build --preset release --target comparison; } >"$log" 2>&1 || {
    cat "$log" >&2
    rm -f "$log"
    exit 2
  }
  rm -f "$log"
  if [ ! -x "$bin/simgrid_ring" ]; then
    echo "compare.sh: CMake found no SimGrid (simgrid/s4u.hpp and libsimgrid), so there is nothing to compare with" >&2
    exit 2
  fi
}

# pair SERIES PRECISION WORK...: the peer and all of our modes on one work, lines to $runs.
pair() {
  local series=$1 precision=$2
  shift 2
  "$bin/simgrid_ring" --series "$series" --precision "$precision" "$@" >>"$runs"
  ours "$series" "$@"
}

ours() {
  local series=$1 mode
  shift
  for mode in "${modes[@]}"; do
    "$bin/ring_work_bench" --series "$series" --mode "$mode" "$@" >>"$runs"
  done
}

growth() {
  local value round
  for ((round = 1; round <= rounds; ++round)); do
    for value in 16 32 64 128 256; do pair "ranks, 1 channel" 1e-12 -n "$value"; done
  done
  for value in 512 1024; do pair "ranks, 1 channel" 1e-9 -n "$value"; done
  for value in 16 32 64 128 256 512; do ours "ranks, 8 channels" -n "$value" -C 8; done
  for value in 1 2 4 8 16 32; do ours "channels" -n 64 -C "$value"; done
  for value in 256 512 1024 2048 4096 8192; do ours "sizes" -n 64 -C 8 -S "${value}MiB" --chunk 512KiB; done
}

measure() {
  local load round one
  read -r load _ </proc/loadavg
  runs=$(mktemp)
  trap 'rm -f "$runs"' EXIT
  # Each round takes all cases, so that what else the machine does for a while hits no case alone.
  # shellcheck disable=SC2086 # the words of a case are arguments
  for ((round = 1; round <= rounds; ++round)); do
    echo "round $round of $rounds" >&2
    for one in "${cases[@]}"; do pair compare $one; done
  done
  if ! $quick; then
    echo "largest case, growth with ranks, channels and size" >&2
    # shellcheck disable=SC2086
    pair compare $largest
    growth
  fi
  mkdir -p "$out"
  "$bin/bench_report" collect "$runs" "$json" --load-before "$load" \
    --commit "$(git describe --always --dirty 2>/dev/null || echo unknown)"
}

build
if $run; then measure; fi
if [ ! -f "$json" ]; then
  echo "compare.sh: there is no $json; leave out --no-run" >&2
  exit 2
fi
"$bin/bench_report" plot "$json" "$out/bench.svg"
"$bin/bench_report" show "$json"
if $update; then
  "$bin/bench_report" update "$json" README.md --picture docs/bench.svg
  for file in bench.json bench.svg; do
    cp "$out/$file" "docs/$file.tmp"
    mv "docs/$file.tmp" "docs/$file"
  done
fi
