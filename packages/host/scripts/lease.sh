# lease <take|renew|release> <token> <holder> <seconds until stale> <sha256 of the ledger on standard input, or none>
# Exclusive lease for changes of this host. The lease is the symbolic link lease.<n> with the highest n. Its target is
# "<token> <holder>", and its modification time is the last renewal. Creating a link is atomic, fails if it exists, and
# stores its text without a file: a lease always has a holder, and it works on a full disk. Numbers only grow, so that a
# slow caller never acquires a held lease.
# Exits 0 if the caller holds it (take prints the holder it was taken over from), 75 if another process holds it and 76 if
# the caller lost it (both print the holder), 77 if the lease is as requested but the ledger could not be written.
set -eu
action=$1 token=$2 holder=$3 patience=$4 ledger=$5
folder=/var/db/minifleet
# A released lease is older than this, in any time zone.
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

# Prints nothing if it is gone.
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

# Both times come from the file system, so that only one clock counts, even if it is wrong.
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
    # Another process took it and withdrew: the holder before may still be alive.
    if [ -z "$seen" ]; then taken 75; fi
    if [ "$seen" -gt "$now" ]; then
      # The clock was set back. A live holder renews soon; a dead one is waited for once, not for a day.
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
  # The holder may have renewed, or another process may have taken it, while this link was created. The holder renews
  # first and checks second, this process links first and checks second: in any order not both continue.
  if [ "$(sign_of_life "$last")" != "$seen" ] || [ "$(highest)" != "$mine" ]; then
    rm -f "$folder/lease.$mine"
    taken 75
  fi
  if [ "${seen:-0}" -gt "$released" ]; then echo "$((now - seen)) $(readlink "$folder/lease.$last")"; fi
  # Only lower numbers: if this process was slow, a higher one belongs to another process.
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
    # Changes follow: no ledger is better than an outdated one.
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
