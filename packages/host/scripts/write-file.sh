# write-file <target> <mode> <owner> <sha256 of what is sent> <sha256 of what may be replaced, or any, or none>
# Reads the content from standard input, verifies it, and renames it into place. Exits 80 if it arrived incomplete,
# 81 if another process changed the target, or started to write it, meanwhile.
set -eu
target=$1 mode=$2 owner=$3 sent=$4 replaces=$5
# A rename onto a directory would move the file into it.
if [ -d "$target" ]; then
  echo "$target: Is a directory" >&2
  exit 1
fi
mkdir -p "$(dirname "$target")"
# Parts of killed writers. A writer that is still alive finds its part gone and gives up: the last writer to start wins,
# and a writer left behind by a lost connection never overwrites it.
rm -f "$target".minifleet-part.??????
part=$(mktemp "$target.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
cat >"$part"
[ -e "$part" ] || exit 81
# A lost connection ends the input, not this script: only the hash shows whether all of it arrived.
[ "$(shasum -a 256 <"$part")" = "$sent  -" ] || exit 80
chown "$owner" "$part"
chmod "$mode" "$part"
case $replaces in
  any) ;;
  none) [ ! -e "$target" ] || exit 81 ;;
  *) [ "$(shasum -a 256 <"$target")" = "$replaces  -" ] || exit 81 ;;
esac
mv -f "$part" "$target"
