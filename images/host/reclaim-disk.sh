#!/bin/sh
# reclaim-disk <gigabytes>: removes leftovers of earlier bakes on this host, then ensures that this much disk space is free.
# It removes local VMs named minifleet-bake-… that are stopped and that no running program refers to: a VM is also stopped
# while it is pushed, and a push that loses its bundle fails at nvram.bin after the disk is uploaded (I28). VMs with other
# names have another owner and stay. Exits with 1 when there is still too little space.
set -eu
required=$1
home=${TART_HOME:-$HOME/.tart}

listed=$(tart list --source local --format json)
bakes=$(printf '%s' "$listed" | jq -r '.[] | select(.Source == "local" and .State == "stopped") | .Name
  | select(test("^minifleet-bake-[a-z0-9][a-z0-9-]*$"))')
for name in $bakes; do
  if pgrep -f "[ =]$name( |\$)" >/dev/null; then
    echo "kept $name: a running program uses it"
  else
    tart delete "$name"
    echo "removed $name"
  fi
done

enough() { [ "$(free)" -ge "$required" ]; }
free() { df -Pk "$home" | awk 'NR == 2 { print int($4 * 1024 / 1000000000) }'; }

# Removing a cached image only costs another pull. Images of the last day are probably the base of the next bake.
for days in 1 0; do
  if ! enough; then
    echo "$(free) GB are free, $required required: removing images not used for $days days from the cache"
    tart prune --entries caches --older-than "$days"
  fi
done
if ! enough; then
  echo "$(free) GB are free on $home, $required required, and nothing else may be removed: see docs/vm-image-builder.md" >&2
  exit 1
fi
echo "$(free) GB are free"
