#!/usr/bin/env bash
# The CALIPER paper's whole calibration load, on synthetic data: makes the data, calibrates, validates, says what it took.
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
usage: bench/calibration_load.sh [--work FOLDER] [--threads N] [--program FOLDER]
  --work FOLDER      where scenario, data and results go; default build/calibration-load. Its calibration is replaced
  --threads N        of the calibration; default 2
  --program FOLDER   where calipersim and calibration_load are built already; default: builds them in build/release
TEXT
}

work=build/calibration-load threads=2 bin=
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage && exit 0 ;;
    --work | --threads | --program)
      [ $# -ge 2 ] || { echo "calibration_load.sh: $1 needs a value" >&2 && exit 2; }
      case $1 in
        --work) work=$(cd "$here" && realpath -m "$2") ;;
        --threads) threads=$2 ;;
        --program) bin=$(cd "$here" && realpath "$2") ;;
      esac
      shift 2
      ;;
    *) { echo "calibration_load.sh: unknown argument '$1'" && usage; } >&2 && exit 2 ;;
  esac
done

build() {
  tools/install_packages.sh
  local log
  log=$(mktemp)
  { cmake --preset release && cmake --build --preset release --target calipersim calibration_load; } >"$log" 2>&1 || {
    cat "$log" >&2
    rm -f "$log"
    exit 2
  }
  rm -f "$log"
}

# 1,024 sizes of 0.5 MiB to 512 MiB, simulated with the true parameters; then noise.
make_data() {
  local parts=bench/calibration_load sizes=() step
  cat $parts/groups.toml $parts/stages.toml >"$work/scenario.toml"
  { sed '/^\[\[group.measured\]\]$/,+1d' $parts/groups.toml && cat $parts/truth.toml; } >"$work/truth.toml"
  for ((step = 1; step <= 1024; ++step)); do sizes+=(--size "$((step * 512))KiB"); done
  "$bin/calipersim" simulate "$work/truth.toml" "${sizes[@]}" --jobs "$threads" --out "$work/truth.csv" >/dev/null
  "$bin/calibration_load" measure "$work" --noise 0.005 --seed 1
}

if [ -z "$bin" ]; then
  build
  bin=build/release/bin
fi
if [ -e "$work/out" ] && [ ! -e "$work/out/evaluations.sqlite" ]; then
  echo "calibration_load.sh: $work/out is no calibration of this script; choose another --work" >&2
  exit 2
fi
mkdir -p "$work"
echo "making the synthetic data" >&2
make_data
rm -rf "$work/out"
read -r load _ </proc/loadavg
echo "calibrating" >&2
"$bin/calibration_load" run "$work" -- \
  "$bin/calipersim" calibrate "$work/scenario.toml" --out "$work/out" --jobs "$threads" --seed 1 >"$work/calibrate.txt" || {
  code=$?
  echo "calibration_load.sh: calipersim calibrate ended with exit code $code" >&2
  exit "$code"
}
"$bin/calibration_load" collect "$work" --systems scenarios/systems --threads "$threads" --load-before "$load" \
  --commit "$(git describe --always --dirty 2>/dev/null || echo unknown)"
echo "$work/load.json, $work/out/report.html"
