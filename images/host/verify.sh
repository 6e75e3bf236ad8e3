#!/bin/sh
# verify <runner|xcresult-processor> <vm>: boots a clone of a baked VM and looks at it the way a Pod would, through the
# guest agent. It answers only if somebody was logged in at the screen by the boot itself, which no look at files shows.
# VERIFY_ATTEMPTS tries (180), VERIFY_PAUSE seconds (5) apart. Exits 1 with the reason; the VM itself is not touched.
set -eu
image=$1 clone=$2-check
# The names in it are the guest's.
# shellcheck disable=SC2016
case $image in
  runner) expected='test -x "$HOME/actions-runner/run.sh"' ;;
  xcresult-processor) expected='test -x /opt/xcresult-processor/bin/start' ;;
  *)
    echo "there is no image $image" >&2
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
    echo "$clone ended before its guest agent answered: $(cat "$log")" >&2
    exit 1
  fi
  if [ "$attempt" -ge "${VERIFY_ATTEMPTS:-180}" ]; then
    echo "the guest agent of $clone does not answer: nobody is logged in at its screen, or the agent is not started" >&2
    exit 1
  fi
  sleep "${VERIFY_PAUSE:-5}"
done
if ! tart exec "$clone" /bin/sh -c "$expected"; then
  echo "$clone boots, but this does not hold in it: $expected" >&2
  exit 1
fi
echo "$clone boots, its guest agent answers, and what a Pod starts is there"
