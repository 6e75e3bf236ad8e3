# fetch-verified <url> <sha256> <file>: downloads a file and keeps it only if it is what was pinned.
# Exits as curl does, or 1 when the checksum is another.
set -eu
trap 'rm -f "$3.part"' EXIT
curl --fail --silent --show-error --location --retry 5 --output "$3.part" "$1"
found=$(shasum -a 256 <"$3.part")
if [ "$found" != "$2  -" ]; then
  echo "$1 is not what was pinned: its SHA-256 is ${found%% *}, wanted $2" >&2
  exit 1
fi
mv -f "$3.part" "$3"
