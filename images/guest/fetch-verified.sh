# fetch-verified <url> <sha256> <file>: downloads a file and keeps it only if its checksum matches.
# Exits with curl's exit code, or with 1 for another checksum.
set -eu
trap 'rm -f "$3.part"' EXIT
curl --fail --silent --show-error --location --retry 5 --output "$3.part" "$1"
found=$(shasum -a 256 <"$3.part")
if [ "$found" != "$2  -" ]; then
  echo "$1: checksum mismatch (SHA-256 is ${found%% *}, pinned is $2)" >&2
  exit 1
fi
mv -f "$3.part" "$3"
