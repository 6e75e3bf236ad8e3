# write-file <target> <mode> <owner> <sha256 of what is sent> <sha256 of what may be replaced, or any, or none>
# Takes the content from standard input, checks it, and renames it into place. Exits 80 when it did not arrive whole,
# 81 when somebody else changed the target meanwhile.
set -eu
target=$1 mode=$2 owner=$3 sent=$4 replaces=$5
mkdir -p "$(dirname "$target")"
part=$(mktemp "$target.XXXXXX")
trap 'rm -f "$part"' EXIT
cat >"$part"
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
