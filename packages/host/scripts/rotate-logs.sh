#!/bin/sh
# minifleet-rotate-logs <most bytes> <how many to keep> <log>...
# Keeps logs below a size. launchd holds a log open for appending, so one that is renamed is still written to: it is
# copied and then emptied in place, and writing goes on at its new end. What is written between the two is lost.
set -eu
most=$1 keep=$2
shift 2
for log in "$@"; do
  if [ ! -f "$log" ] || [ -L "$log" ]; then continue; fi
  [ "$(stat -f %z "$log")" -gt "$most" ] || continue
  number=$keep
  while [ "$number" -gt 1 ]; do
    older=$((number - 1))
    if [ -f "$log.$older" ]; then mv -f "$log.$older" "$log.$number"; fi
    number=$older
  done
  # On a full disk the copy fails: then the old lines are given up, the disk matters more.
  if [ "$keep" -gt 0 ] && cp -p "$log" "$log.minifleet-part"; then mv -f "$log.minifleet-part" "$log.1"; fi
  rm -f "$log.minifleet-part"
  : >"$log"
done
