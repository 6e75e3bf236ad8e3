# remove-agent-data <user> <tart> <state folder> <log folder> <log> [<vm>]... -- [<image>]...
# Ends the agent's VMs and their supervisors, and removes VMs, images, state and logs. As root, after the agent's job.
# Exits 84 if a process does not end.
set -eu
user=$1 tart=$2 state=$3 logs=$4 log=$5
shift 5

# SIGKILL: a VM that is removed needs no clean shutdown, and a supervisor must not start anything in between.
ends() {
  left=60
  while pgrep -qf -- "$1"; do
    if [ "$left" = 0 ]; then
      echo "processes are still running: $1" >&2
      exit 84
    fi
    if pkill -KILL -f -- "$1"; then :; fi
    left=$((left - 1))
    sleep 0.5
  done
}

as_user() { sudo -n -H -u "$user" "$@"; }

ends " supervise $state/guests/"
while [ "$1" != -- ]; do
  ends "(^|/)tart (run|clone|set) (.* )?$1( |\$)"
  # A half-deleted bundle is unknown to Tart.
  if [ -x "$tart" ] && as_user "$tart" list --source local --quiet | grep -qxF -- "$1"; then as_user "$tart" delete "$1"; fi
  rm -rf "/Users/$user/.tart/vms/$1"
  shift
done
shift
while [ $# -gt 0 ]; do
  as_user "$tart" delete "$1"
  shift
done
rm -rf "$state" "$logs"
rm -f "$log" "$log".[0-9]* "$log".minifleet-part
