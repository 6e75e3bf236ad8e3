#!/bin/sh
# push <vm> <image>: pushes a baked VM and prints the published image with its digest to stdout; all else goes to stderr.
# Credentials are TART_REGISTRY_USERNAME and TART_REGISTRY_PASSWORD in the environment. There is no `tart login`, because it
# uses the keychain, which prompts on the screen (I25). PUSH_PAUSES are the seconds between attempts.
# Exits with 2 when another attempt cannot help, with 1 when the last attempt failed.
set -eu
vm=$1 image=$2
# shellcheck source=host/watched.sh
. "$(dirname "$0")/watched.sh"
for variable in TART_REGISTRY_USERNAME TART_REGISTRY_PASSWORD; do
  if [ -z "$(printenv "$variable")" ]; then
    echo "$variable is not set: a push requires both credentials in its environment" >&2
    exit 2
  fi
done
# A pull or clone that frees disk space would race with the push.
export TART_NO_AUTO_PRUNE=1
log=$(mktemp)
trap 'rm -f "$log" "$log.code"' EXIT

# One layer at a time, in chunks below 4 MB, which ghcr.io rejects. Uploaded layers are not sent again, so an attempt resumes
# where the last one failed. The cache is filled because Tart shows the digest only there; this costs a clone, not a copy.
attempt() { watched "$log" tart push --concurrency 1 --chunk-size 3 --populate-cache "$vm" "$image"; }

hopeless() {
  echo "$1; a retry would not help, see docs/vm-image-builder.md" >&2
  exit 2
}

pushed=
for pause in 0 ${PUSH_PAUSES:-60 120 300 600}; do
  if [ "$pause" -gt 0 ]; then
    echo "retrying in $pause s" >&2
    sleep "$pause"
  fi
  if attempt; then
    pushed=yes
    break
  fi
  # A registry that limits the request rate may also report it as an authorization error. That error is temporary.
  if grep -q -E 'code: 429|TOOMANYREQUESTS|too many requests' "$log"; then continue; fi
  if grep -q 'nvram.bin' "$log"; then hopeless "$vm was removed from this host while it was pushed (I28)"; fi
  if grep -q -E 'code: 40[13]|AuthFailed' "$log"; then hopeless "the registry rejects these credentials for $image"; fi
done
if [ -z "$pushed" ]; then
  echo "$image was not pushed: every attempt failed; the last error is above" >&2
  exit 1
fi
published=$(tart fqn "$image")
tart delete "$image"
echo "$published"
