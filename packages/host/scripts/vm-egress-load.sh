#!/bin/sh
# vm-egress-load <rules file> <token file> <hold|release>
# Loads the guests' rules where pf looks for them (from /dev/null: takes them off), and holds one reference to pf, or
# gives it back. As root; hosts run it at boot and each minute. Says what it killed; exits 1 with pfctl's words.
set -eu
rules=$1 token=$2 reference=$3

# pfctl warns at every load; what it says counts only when it fails.
pf() {
  said=$(/sbin/pfctl "$@" 2>&1) || {
    printf '%s\n' "$said" >&2
    exit 1
  }
}

# A persist table keeps its name until it is killed, and only at its own scope; -F would just empty it.
kill_tables() {
  scope=$1
  shift
  tables=$(/sbin/pfctl -q "$@" -v -s Tables)
  printf '%s\n' "$tables" | while read -r flags table rest; do
    case "$flags $table" in
      ?p*' vm_sources' | ?p*' blocked_dst')
        pf "$@" -t "$table" -T kill
        echo "removed leftover table $table from $scope"
        ;;
    esac
  done
}

held() { [ -s "$token" ] && /sbin/pfctl -q -s References | grep -qw -- "$(cat "$token")"; }

kill_tables 'the main ruleset'
# The one in force first: while the other is cleaned up, guests are filtered.
for anchor in com.apple/tuist.runners tuist.runners; do
  kill_tables "$anchor" -a "$anchor"
  pf -a "$anchor" -f "$rules"
done

# One of our own: pf ends with the last reference, and the system's goes with the last guest. Never a second one.
case $reference in
  hold)
    if ! held; then
      pf -E
      printf '%s\n' "${said##*Token : }" >"$token"
    fi
    ;;
  release)
    if held; then pf -X "$(cat "$token")"; fi
    rm -f "$token"
    ;;
esac
