# lease <take|renew|release> <token> <holder> <seconds until stale> <sha256 of the ledger on standard input, or none>
# Who may change this host. The lease is the link lease.<n> with the highest n; its target is "<token> <holder>", its own
# time the last sign of life. Making a link is atomic, fails if it is there, and carries its words without a file to fill:
# nobody ever sees a lease without a holder, and a disk without room for a file still has room for it. Numbers only grow,
# so that a caller that was slow never takes for free what is held.
# Exits 0 when it is ours (take prints whoever was given up on), 75 when someone else has it and 76 when it is no longer
# ours (both print who has it), 77 when the lease is as asked but the ledger could not be written.
set -eu
action=$1 token=$2 holder=$3 patience=$4 ledger=$5
folder=/var/db/minifleet
# What release leaves behind is earlier than this, in whatever time zone the host stands.
released=200000

highest() {
  top=0
  for link in "$folder"/lease.*; do
    number=${link##*.}
    case $number in
      *[!0-9]*) ;;
      *) if [ "$number" -gt "$top" ]; then top=$number; fi ;;
    esac
  done
  echo "$top"
}

# Nothing when it is gone.
sign_of_life() {
  if sign=$(stat -f %m "$folder/lease.$1" 2>/dev/null); then echo "$sign"; fi
}

taken() {
  readlink "$folder/lease.$(highest)" 2>/dev/null || echo '- another process'
  exit "$1"
}

ours() {
  case $(readlink "$folder/lease.$1" 2>/dev/null) in
    "$token "*) return 0 ;;
    *) return 1 ;;
  esac
}

# Both times come from the file system: one clock, however wrong, and no other.
read_clock() {
  touch "$folder/clock"
  now=$(stat -f %m "$folder/clock")
}

take() {
  mkdir -p "$folder"
  read_clock
  last=$(highest)
  seen=$(sign_of_life "$last")
  if [ "$last" != 0 ]; then
    # Someone took it and thought better of it: whoever had it before may well live.
    if [ -z "$seen" ]; then taken 75; fi
    if [ "$seen" -gt "$now" ]; then
      # The clock was set back. Whoever lives shows it soon; whoever does not is waited for once more, not for a day.
      touch -h "$folder/lease.$last"
      taken 75
    fi
    if [ $((now - seen)) -le "$patience" ]; then taken 75; fi
  fi
  mine=$((last + 1))
  if ! complaint=$(ln -s "$token $holder" "$folder/lease.$mine" 2>&1); then
    case $complaint in *'File exists'*) taken 75 ;; esac
    echo "$complaint" >&2
    exit 1
  fi
  # The last one may have shown life, or another taken it, while we made ours. The holder shows life first and looks
  # second, we link first and look second: whatever the order, not both of us go on.
  if [ "$(sign_of_life "$last")" != "$seen" ] || [ "$(highest)" != "$mine" ]; then
    rm -f "$folder/lease.$mine"
    taken 75
  fi
  if [ "${seen:-0}" -gt "$released" ]; then echo "$((now - seen)) $(readlink "$folder/lease.$last")"; fi
  # Only what lies behind us: should we have been slow, a higher one is somebody's.
  for link in "$folder"/lease.*; do
    if [ "${link##*.}" -lt "$mine" ]; then rm -f "$link"; fi
  done
  rm -f "$folder"/part.*
}

part=
trap 'if [ -n "$part" ]; then rm -f "$part"; fi' EXIT

write_ledger() {
  part=$(mktemp "$folder/part.XXXXXX") || return 1
  cat >"$part" || return 1
  [ "$(shasum -a 256 <"$part")" = "$ledger  -" ] || return 1
  chmod 0644 "$part" && mv -f "$part" "$folder/ledger.json"
}

keep() {
  last=$(highest)
  if ! ours "$last"; then taken 76; fi
  unwritten=0
  if [ "$ledger" != none ] && ! write_ledger; then
    unwritten=77
    # Changes follow: rather no ledger than one that tells of before.
    if [ "$action" = renew ]; then rm -f "$folder/ledger.json"; fi
  fi
  if [ "$action" = renew ]; then
    touch -h "$folder/lease.$last"
    if [ "$(highest)" != "$last" ]; then taken 76; fi
  else
    touch -h -t 197001020000 "$folder/lease.$last"
  fi
  exit "$unwritten"
}

case $action in
  take) take ;;
  *) keep ;;
esac
