# inspect-runner <directory> <user> <label>: prints runner state that its files do not contain, one key and value per
# line, then `job` and the output of launchctl print. As root. Read-only; prints nothing if the user does not exist.
set -eu
dir=$1 user=$2 label=$3
uid=$(id -u "$user") || exit 0
echo "uid $uid"
if [ -d "$dir" ]; then echo "owner $(stat -f %Su "$dir")"; fi
# A runner that updated itself has a link: bin -> bin.2.331.0.
if [ -h "$dir/bin" ]; then echo "updated $(readlink "$dir/bin")"; fi
if [ -x "$dir/config.sh" ] && [ -f "$dir/bin/runsvc.sh" ]; then echo 'whole yes'; fi
if [ -f "$dir/.credentials" ]; then echo 'credentials yes'; fi
if [ -f "$dir/.restart" ]; then echo 'restart pending'; fi
for agent in "/Users/$user/Library/LaunchAgents"/actions.runner.*.plist; do
  other=$(basename "$agent" .plist)
  if [ "$other" != "$label" ] && grep -qsF "<string>$dir/runsvc.sh</string>" "$agent"; then echo "stray $other"; fi
done
if launchctl print "gui/$uid" 2>/dev/null | grep -q 'session = Aqua'; then echo 'session Aqua'; fi
echo job
if launchctl print "gui/$uid/$label" 2>/dev/null; then exit 0; fi
