# agent-roll <label> <slot> <prepare|restart|reload> <roll, or -> <sha256 of the property list> [<kind> <path> <owner>]...
# Makes <slot> the agent's current one and starts the job from it; takes the property list from standard input.
#   prepare  only folders, owners and the property list's own mode
#   restart  launchd holds the wanted arguments already: kickstart, which registers nothing
#   reload   bootout, wait, bootstrap
# What ran before is kept as `previous` when a roll with another name begins; `-` keeps nothing (rolling back).
# Says `switching` before it touches what runs. Exits 80 when the list did not arrive whole, 81 when somebody else began
# the same meanwhile, 84 when the slot holds no program (nothing has changed then), else as launchd-functions says.
set -eu
label=$1 slot=$2 how=$3 roll=$4 sent=$5
shift 5
home=/usr/local/lib/tart-kubelet
command=/usr/local/bin/tart-kubelet
plist=/Library/LaunchDaemons/$label.plist

# A new link is renamed onto the old one: whoever looks sees one of the two. -h: or it would land inside the slot.
point() {
  rm -f "$2.part"
  if [ -d "$2" ] && [ ! -L "$2" ]; then rm -rf "$2"; fi
  ln -s "$1" "$2.part"
  mv -fh "$2.part" "$2"
}

# An agent installed before there were slots gets one, so that there is something to go back to.
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
# As in write-file: the last to begin wins, and what a lost connection left running gives up.
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
    # Someone may have booted it out since we looked.
    if job_known "$label"; then launchctl kickstart -k "system/$label"; else job_enters "$label"; fi
    ;;
  reload)
    echo switching
    # In this order: interrupted anywhere, launchd does not know the job, and whoever looks sees that it does not.
    job_leaves "$label"
    mv -f "$part" "$plist"
    switch
    job_enters "$label"
    ;;
esac
