#!/bin/sh
# minifleet-rotate-logs <max bytes> <rotated logs to keep> <log>...
# Limits the size of logs. launchd keeps a log open for appending, so a renamed log would still be written to: it is
# copied and then truncated in place, and writing continues at the new end. Lines written between the two are lost.
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
  # On a full disk the copy fails: then the old lines are dropped, because the disk matters more.
  if [ "$keep" -gt 0 ] && cp -p "$log" "$log.minifleet-part"; then mv -f "$log.minifleet-part" "$log.1"; fi
  rm -f "$log.minifleet-part"
  : >"$log"
done
