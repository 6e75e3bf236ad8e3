# agent-roll <label> <slot> <prepare|restart|reload> <roll, or -> <sha256 of the property list> [<kind> <path> <owner>]...
# Makes <slot> the current one and starts the job from it; reads the property list from standard input.
#   prepare  only directories, owners and the mode of the property list
#   restart  launchd already has the desired arguments: kickstart, which is not a registration
#   reload   bootout, wait, bootstrap
# The running version is kept as `previous` when a roll with another name begins; `-` keeps nothing (rollback).
# Prints `switching` before it touches the running job. Exits 80 if the list arrived incomplete, 81 if another process
# started the same meanwhile, 84 if the slot contains no program (nothing was changed), else as in launchd-functions.
set -eu
label=$1 slot=$2 how=$3 roll=$4 sent=$5
shift 5
home=/usr/local/lib/tart-kubelet
command=/usr/local/bin/tart-kubelet
plist=/Library/LaunchDaemons/$label.plist

# Renames a new link over the old one, so that one of them always exists. Without -h it would be moved into the slot.
point() {
  rm -f "$2.part"
  if [ -d "$2" ] && [ ! -L "$2" ]; then rm -rf "$2"; fi
  ln -s "$1" "$2.part"
  mv -fh "$2.part" "$2"
}

# An agent from before slots gets one, so that a rollback is possible.
adopt() {
  before=$(shasum -a 256 <"$command" | cut -c 1-16)
  [ ! -f "$home/$before/tart-kubelet" ] || return 0
  mkdir -p "$home/$before"
  cp -p "$command" "$home/$before/tart-kubelet.part"
  mv -f "$home/$before/tart-kubelet.part" "$home/$before/tart-kubelet"
}

keep() {
  before=
  if [ -L "$home/current" ]; then before=$(readlink "$home/current"); elif [ -f "$command" ]; then adopt; fi
  if [ -n "$before" ] && [ -x "$home/$before/tart-kubelet" ] && [ -f "$plist" ]; then
    cp "$plist" "$home/previous.plist.part"
    mv -f "$home/previous.plist.part" "$home/previous.plist"
    point "$before" "$home/previous"
  else
    rm -f "$home/previous" "$home/previous.plist"
  fi
  printf '%s\n' "$roll" >"$home/roll.part"
  mv -f "$home/roll.part" "$home/roll"
}

switch() {
  point "$slot" "$home/current"
  point "$home/current/tart-kubelet" "$command"
}

[ -x "$home/$slot/tart-kubelet" ] || exit 84
# As in write-file: the last writer to start wins, and a run left behind by a lost connection gives up.
rm -f "$plist".minifleet-part.??????
part=$(mktemp "$plist.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
cat >"$part"
[ "$(shasum -a 256 <"$part")" = "$sent  -" ] || exit 80
chown root:wheel "$part"
chmod 0644 "$part"
mkdir -p /usr/local/bin
while [ $# -ge 3 ]; do
  case $1 in
    directory) mkdir -p "$2" ;;
    *) [ -f "$2" ] || : >"$2" ;;
  esac
  chown "$3" "$2"
  shift 3
done
if [ "$how" != prepare ] && [ "$roll" != - ] && [ "$(cat "$home/roll" 2>/dev/null)" != "$roll" ]; then keep; fi
launchctl enable "system/$label"
[ -e "$part" ] || exit 81
case $how in
  prepare) mv -f "$part" "$plist" ;;
  restart)
    echo switching
    mv -f "$part" "$plist"
    switch
    # Another process may have booted it out since the inspection.
    if job_known "$label"; then launchctl kickstart -k "system/$label"; else job_enters "$label"; fi
    ;;
  reload)
    echo switching
    # In this order: after an interruption launchd has no such job, which the next inspection detects.
    job_leaves "$label"
    mv -f "$part" "$plist"
    switch
    job_enters "$label"
    ;;
esac
