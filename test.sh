#!/usr/bin/env bash
# Installs what is missing, builds Release and runs all tests. Arguments go to ctest: ./test.sh -L unit
set -euo pipefail
cd "$(dirname "$0")"

tools/install_packages.sh
tools/check_includes.sh
preset=release
if [ "${CI:-}" = true ]; then preset=ci; fi # warnings are errors there
cmake --preset "$preset" >build.log 2>&1 || { cat build.log >&2; exit 1; }
rm -f build.log
cmake --build --preset "$preset"
ctest --preset "$preset" -j "$(nproc)" "$@"
