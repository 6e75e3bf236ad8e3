#!/bin/sh
# verify <runner|xcresult-processor> <vm>: boots a clone of a baked VM and inspects it as a Pod would, through the guest
# agent. The agent responds only if the boot logged a user in to the GUI session, which files cannot show.
# VERIFY_ATTEMPTS (default: 180) attempts, VERIFY_PAUSE (default: 5) seconds apart. Exits with 1 and the reason; the VM itself stays unchanged.
set -eu
image=$1 clone=$2-check
# The variables are expanded in the guest.
# shellcheck disable=SC2016
case $image in
  runner) expected='test -x "$HOME/actions-runner/run.sh"' ;;
  xcresult-processor) expected='test -x /opt/xcresult-processor/bin/start' ;;
  *)
    echo "unknown image $image" >&2
    exit 1
    ;;
esac

tart clone "$2" "$clone"
log=$(mktemp)
tart run "$clone" --no-graphics --no-audio --no-clipboard >"$log" 2>&1 &
running=$!
leave() {
  if kill -0 "$running" 2>/dev/null; then tart stop "$clone"; fi
  tart delete "$clone"
  rm -f "$log"
}
trap leave EXIT

attempt=0
until tart exec "$clone" /usr/bin/true 2>/dev/null; do
  attempt=$((attempt + 1))
  if ! kill -0 "$running" 2>/dev/null; then
    echo "$clone ended before its guest agent responded: $(cat "$log")" >&2
    exit 1
  fi
  if [ "$attempt" -ge "${VERIFY_ATTEMPTS:-180}" ]; then
    echo "the guest agent of $clone does not respond: no user is logged in to the GUI session, or the agent was not started" >&2
    exit 1
  fi
  sleep "${VERIFY_PAUSE:-5}"
done
if ! tart exec "$clone" /bin/sh -c "$expected"; then
  echo "$clone boots, but this check failed: $expected" >&2
  exit 1
fi
echo "$clone boots, its guest agent responds, and the program of a Pod is installed"
