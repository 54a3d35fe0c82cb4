#!/usr/bin/env bash
# Holds every #include against the arrows of the house: none climbs, and the two columns (simulator and method) meet
# only in scenarios. Tests beside the code follow the same rule; tests/ and bench/ may include everything.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A allowed=(
  [base]="base"
  [engine]="engine base"
  [topology]="topology engine base"
  [collectives]="collectives topology engine base"
  [captures]="captures collectives topology engine base"
  [calibration]="calibration base"
  [validation]="validation calibration base"
  [scenarios]="scenarios validation calibration captures collectives topology engine base"
  [cli]="cli scenarios validation calibration captures collectives topology engine base"
)

failed=0
for module in "${!allowed[@]}"; do
  while IFS=: read -r file line included; do
    target=${included%%/*}
    if [ "$target" = "$included" ]; then
      echo "$file:$line: #include \"$included\" does not name its folder" >&2
      failed=1
    elif [[ " ${allowed[$module]} " != *" $target "* ]]; then
      echo "$file:$line: $module must not include $target (allowed: ${allowed[$module]})" >&2
      failed=1
    fi
  done < <(grep -rnoP --include='*.hpp' --include='*.cpp' --include='*.inc' '^\s*#\s*include\s*"\K[^"]+' "$module" || true)
done
exit $failed
