# upload <target> <mode> <owner> <sha256> <sign|as-is>
# Says `there` when the target came from this content and is still what we left, else `send`, and then takes the content
# from standard input. What was sent and what it became by signing is kept in <target>.origin. Exits 80 when the content
# did not arrive whole, 81 when somebody else began to write the target meanwhile.
set -eu
target=$1 mode=$2 owner=$3 sent=$4 sign=$5
if [ -d "$target" ]; then
  echo "$target: Is a directory" >&2
  exit 1
fi
# Parts of uploads that were killed; as in write-file, the last to begin wins.
rm -f "$target".minifleet-part.??????
if [ -f "$target" ] && [ "$(cat "$target.origin" 2>/dev/null)" = "$sent $(shasum -a 256 <"$target")" ]; then
  chown "$owner" "$target"
  chmod "$mode" "$target"
  echo there
  exit 0
fi
echo send
mkdir -p "$(dirname "$target")"
part=$(mktemp "$target.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
cat >"$part"
[ -e "$part" ] || exit 81
[ "$(shasum -a 256 <"$part")" = "$sent  -" ] || exit 80
chown "$owner" "$part"
chmod "$mode" "$part"
if [ "$sign" = sign ]; then codesign --force --sign - "$part"; fi
origin="$sent $(shasum -a 256 <"$part")"
# The record goes first: killed in between, the old file no longer matches it and the content is sent again.
printf '%s\n' "$origin" >"$target.origin"
mv -f "$part" "$target"
