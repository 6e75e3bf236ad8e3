# start-runner <directory> <user> <label> <PATH of jobs> <sha256 of the property list on standard input> <gently|anyway>
# As root. Restarts the runner in the GUI session. With an unchanged property list it is not registered with launchd again,
# because launchd stops restarting jobs that are registered too often. Prints what it removed.
# Exits 80 if the property list arrived incomplete, 82 if a job is running and the mode is gently, 83 without a GUI
# session, 86 if launchd does not release the old job.
set -eu
dir=$1 user=$2 label=$3 path=$4 sent=$5 how=$6
uid=$(id -u "$user")
domain=gui/$uid home=/Users/$user
agent=$home/Library/LaunchAgents/$label.plist

printed() { launchctl print "$domain/$1" 2>/dev/null; }
known() { printed "$1" >/dev/null; }
# The pid of the job itself: deeper lines belong to other processes.
running() { printed "$1" | grep -q '^[[:space:]]pid = '; }

# Gives the listener time to close its session at GitHub, which would otherwise block the next one for minutes.
stop() {
  if ! running "$1"; then return; fi
  launchctl kill SIGTERM "$domain/$1"
  left=40
  while running "$1" && [ "$left" -gt 0 ]; do
    sleep 1
    left=$((left - 1))
  done
}

# bootout returns before the job is gone, and a bootstrap in between fails.
boot_out() {
  if ! known "$1"; then return; fi
  if launchctl bootout "$domain/$1"; then :; fi
  left=60
  while known "$1" && [ "$left" -gt 0 ]; do
    sleep 1
    left=$((left - 1))
  done
  if known "$1"; then exit 86; fi
}

folder() {
  if [ ! -d "$1" ]; then install -d -o "$user" -g staff -m 0755 "$1"; fi
}

place() {
  chown "$user:staff" "$1"
  chmod "$2" "$1"
  mv -f "$1" "$3"
}

launchctl print "$domain" 2>/dev/null | grep -q 'session = Aqua' || exit 83
if [ "$how" = gently ] && pgrep -qx Runner.Worker; then exit 82; fi
for one in "$home/Library" "$home/Library/LaunchAgents" "$home/Library/Logs" "$home/Library/Logs/$label"; do folder "$one"; done
part=$(mktemp "$agent.XXXXXX")
trap 'rm -f "$part"' EXIT
cat >"$part"
[ "$(shasum -a 256 <"$part")" = "$sent  -" ] || exit 80

# After an interruption this file shows that the running process is outdated, and whether launchd must reload.
if [ ! -f "$dir/.restart" ]; then : >"$dir/.restart"; fi
if ! cmp -s "$part" "$agent"; then
  echo reload >"$dir/.restart"
  place "$part" 0644 "$agent"
fi
chown "$user:staff" "$dir"
printf '%s\n' "$path" >"$dir/.path.part"
place "$dir/.path.part" 0644 "$dir/.path"
cp "$dir/bin/runsvc.sh" "$dir/runsvc.sh.part"
place "$dir/runsvc.sh.part" 0755 "$dir/runsvc.sh"

# Two listeners with one registration would disconnect each other.
for other in "$home/Library/LaunchAgents"/actions.runner.*.plist; do
  name=$(basename "$other" .plist)
  if [ "$name" = "$label" ] || ! grep -qsF "<string>$dir/runsvc.sh</string>" "$other"; then continue; fi
  boot_out "$name"
  rm -f "$other"
  echo "removed launch agent $name"
done

launchctl enable "$domain/$label"
if known "$label" && [ "$(cat "$dir/.restart")" != reload ]; then
  stop "$label"
  launchctl kickstart -k "$domain/$label"
else
  boot_out "$label"
  launchctl bootstrap "$domain" "$agent"
  if ! running "$label"; then launchctl kickstart "$domain/$label"; fi
fi
# Files left behind by interrupted runs.
rm -rf "$dir.new" "$dir.tar.gz" "$dir.tar.gz.origin" "$dir/.registered-before"
rm -f "$dir/.restart"
