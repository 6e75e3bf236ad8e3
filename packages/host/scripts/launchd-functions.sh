# Prepended to scripts that start and stop jobs of the system domain; does nothing by itself.
# The functions exit 82 if a job does not exit, 83 if launchd rejects one.

job_known() { launchctl print "system/$1" >/dev/null 2>&1; }

# bootout returns before the job is gone, and a bootstrap in between fails (37 or 5): wait until it is gone.
job_leaves() {
  if job_known "$1"; then launchctl bootout "system/$1" || echo "bootout ended with $?" >&2; fi
  tries=0
  while job_known "$1"; do
    [ "$tries" -lt 30 ] || exit 82
    tries=$((tries + 1))
    sleep 1
  done
}

job_enters() {
  tries=0
  until launchctl bootstrap system "/Library/LaunchDaemons/$1.plist" || job_known "$1"; do
    [ "$tries" -lt 5 ] || exit 83
    tries=$((tries + 1))
    sleep 1
  done
}
