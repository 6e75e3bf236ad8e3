# remove-runner <directory> <user> <label, or nothing>: removes the runner's jobs, their property lists and logs, and
# finally its directory. As root. Exits 86 if launchd does not release a job.
set -eu
dir=$1 user=$2 label=$3
uid=$(id -u "$user")
domain=gui/$uid home=/Users/$user

known() { launchctl print "$domain/$1" >/dev/null 2>&1; }

take_off() {
  if known "$1"; then
    if launchctl bootout "$domain/$1"; then :; fi
    left=60
    while known "$1" && [ "$left" -gt 0 ]; do
      sleep 1
      left=$((left - 1))
    done
    if known "$1"; then exit 86; fi
    echo "removed launch agent $1"
  fi
  rm -rf "$home/Library/LaunchAgents/$1.plist" "$home/Library/Logs/$1"
}

if [ -n "$label" ]; then take_off "$label"; fi
for agent in "$home/Library/LaunchAgents"/actions.runner.*.plist; do
  if grep -qsF "<string>$dir/runsvc.sh</string>" "$agent"; then take_off "$(basename "$agent" .plist)"; fi
done
rm -rf "$dir.new" "$dir.tar.gz" "$dir.tar.gz.origin" "$dir"
