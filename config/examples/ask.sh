#!/bin/sh
# Asks by dropping a file, and takes by creating take/<task>: no owlpost command needed. The service must run.
# Usage: sh ask.sh [AIRLOCK]
set -eu
airlock=${1:-"${OWLPOST_HOME:-$HOME/.owlpost}/airlocks/default"}
id=q-sh-021-import-1

# Written under a name that begins with a dot and then renamed, so that it is never seen half-written. The name is the id.
mkdir -p "$airlock/questions" "$airlock/take"
cat >"$airlock/questions/.$id" <<'QUESTION'
task: 021-import
title: "Import the old orders, too?"
context: "The dump `orders-2019.sql` has 40,000 rows without a customer."
options:
  - { key: "1", label: "Import all", consequence: "40,000 orders without a customer", recommended: true }
  - { key: "2", label: "Only those with a customer", consequence: "The 2019 totals will differ" }
default: { action: skip_spec, at: "8h" }
QUESTION
mv "$airlock/questions/.$id" "$airlock/questions/$id.yaml"

# A loop would go on with its other tasks here, and look at its next stop.
while [ ! -e "$airlock/answers/$id.yaml" ]; do
  if [ -e "$airlock/questions/$id.rejected.yaml" ]; then
    cat "$airlock/questions/$id.rejected.yaml" >&2
    exit 2
  fi
  if grep -qx 'state: "cancelled"' "$airlock/questions/$id.yaml"; then
    echo "$id was cancelled: nobody will answer it" >&2
    exit 3
  fi
  : >"$airlock/take/021-import"
  while [ -e "$airlock/take/021-import" ]; do sleep 0.2; done
  sleep 0.2
done
cat "$airlock/answers/$id.yaml"
