# write-file <target> <mode> <owner> <sha256 of what is sent> <sha256 of what may be replaced, or any, or none>
# Takes the content from standard input, checks it, and renames it into place. Exits 80 when it did not arrive whole,
# 81 when somebody else changed the target, or began to write it, meanwhile.
set -eu
target=$1 mode=$2 owner=$3 sent=$4 replaces=$5
# A rename onto a folder would move the file into it.
if [ -d "$target" ]; then
  echo "$target: Is a directory" >&2
  exit 1
fi
mkdir -p "$(dirname "$target")"
# Parts of writers that were killed. One that still lives finds its part gone and gives up: the last to begin wins, and
# what a lost connection left running never lands on top of it.
rm -f "$target".minifleet-part.??????
part=$(mktemp "$target.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
cat >"$part"
[ -e "$part" ] || exit 81
# A lost connection ends our input, not us: only the hash tells whether all of it came.
[ "$(shasum -a 256 <"$part")" = "$sent  -" ] || exit 80
chown "$owner" "$part"
chmod "$mode" "$part"
case $replaces in
  any) ;;
  none) [ ! -e "$target" ] || exit 81 ;;
  *) [ "$(shasum -a 256 <"$target")" = "$replaces  -" ] || exit 81 ;;
esac
mv -f "$part" "$target"
