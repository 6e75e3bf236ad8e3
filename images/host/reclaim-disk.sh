#!/bin/sh
# reclaim-disk <gigabytes>: removes what earlier bakes left on this host, then sees to it that so much of the disk is free.
# Removed are local VMs named minifleet-bake-… that are stopped and that no running program names: a VM is stopped, too,
# while it is pushed, and a push that loses its bundle fails at nvram.bin when the disk is already up (I28). Whatever has
# another name belongs to somebody else and stays. Exits 1 when there is still too little room.
set -eu
wanted=$1
home=${TART_HOME:-$HOME/.tart}

listed=$(tart list --source local --format json)
bakes=$(printf '%s' "$listed" | jq -r '.[] | select(.Source == "local" and .State == "stopped") | .Name
  | select(test("^minifleet-bake-[a-z0-9][a-z0-9-]*$"))')
for name in $bakes; do
  if pgrep -f "[ =]$name( |\$)" >/dev/null; then
    echo "left $name alone: a program is at work on it"
  else
    tart delete "$name"
    echo "removed $name"
  fi
done

enough() { [ "$(free)" -ge "$wanted" ]; }
free() { df -Pk "$home" | awk 'NR == 2 { print int($4 * 1024 / 1000000000) }'; }

# Cached images cost nothing but the time to pull them again; those of the last day are the next bake's base.
for days in 1 0; do
  if ! enough; then
    echo "$(free) GB are free, wanted $wanted: removing images not used for $days days from the cache"
    tart prune --entries caches --older-than "$days"
  fi
done
if ! enough; then
  echo "$(free) GB are free on $home, wanted $wanted, and nothing of ours is left to remove: see docs/vm-image-builder.md" >&2
  exit 1
fi
echo "$(free) GB are free"
