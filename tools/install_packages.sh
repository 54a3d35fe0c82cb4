#!/usr/bin/env bash
# Installs what building and testing needs on Debian 12 and is not there yet, and says what that is. Further packages may
# be named.
set -euo pipefail

packages=(
  build-essential clang-16 cmake libclang-rt-16-dev ninja-build pkg-config
  libboost-dev libcli11-dev doctest-dev libeigen3-dev libfmt-dev libbenchmark-dev libjs-chart.js
  libnlopt-dev libpugixml-dev libspdlog-dev libsqlite3-dev libssl-dev libtbb-dev libtomlplusplus-dev nlohmann-json3-dev
  "$@"
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "These packages are missing and there is neither root nor sudo: ${missing[*]}" >&2
    exit 2
  }
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
