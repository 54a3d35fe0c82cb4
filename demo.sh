#!/usr/bin/env bash
# Installs what is missing, builds Release, calibrates JUPITER Booster on public measurements and leaves a report.
set -euo pipefail
cd "$(dirname "$0")"

tools/install_packages.sh
cmake --preset release >build.log 2>&1 || { cat build.log >&2; exit 1; }
rm -f build.log
cmake --build --preset release --target calipersim
out=out/jupiter-booster
rm -f "$out/evaluations.sqlite" # of an earlier demo, perhaps by another build
build/release/bin/calipersim calibrate scenarios/jupiter-booster/scenario.toml --out "$out"
