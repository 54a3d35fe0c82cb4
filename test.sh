#!/usr/bin/env bash
# Installs what is missing, builds Release, runs all tests and fuzzes the readers of files. With arguments, which go to
# ctest, there is no fuzzing: ./test.sh -L unit
set -euo pipefail
cd "$(dirname "$0")"

tools/install_packages.sh
tools/check_includes.sh
preset=release
if [ "${CI:-}" = true ]; then preset=ci; fi # warnings are errors there
build() {
  cmake --preset "$1" >build.log 2>&1 || { cat build.log >&2; exit 1; }
  rm -f build.log
  cmake --build --preset "$1"
}

build "$preset"
ctest --preset "$preset" -j "$(nproc)" "$@"
if [ $# -eq 0 ]; then
  build fuzz
  ctest --preset fuzz -j "$(nproc)"
fi
