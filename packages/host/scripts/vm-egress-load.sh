#!/bin/sh
# vm-egress-load <rules file> <token file> <hold|release>
# Loads the guests' rules into both anchors (from /dev/null: removes them), and acquires or releases one pf reference.
# As root; hosts run it at boot and every minute. Prints removed tables; exits 1 with the output of pfctl.
set -eu
rules=$1 token=$2 reference=$3

# pfctl warns at every load; its output matters only if it fails.
pf() {
  said=$(/sbin/pfctl "$@" 2>&1) || {
    printf '%s\n' "$said" >&2
    exit 1
  }
}

# A persist table keeps its name until it is killed in its own scope; -F would only empty it.
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
# The anchor in effect first: guests are filtered while the other is cleaned up.
for anchor in com.apple/tuist.runners tuist.runners; do
  kill_tables "$anchor" -a "$anchor"
  pf -a "$anchor" -f "$rules"
done

# A separate reference: pf stops with the last one, and the system releases its own with the last guest. Never a second.
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
