# upload <target> <mode> <owner> <sha256> <sign|as-is>
# Prints `there` if the target came from this content and is unchanged, else `send`, and then reads the content from
# standard input. Records the uploaded and the signed hash in <target>.origin. Exits 80 if the content arrived
# incomplete, 81 if another process started to write the target meanwhile.
set -eu
target=$1 mode=$2 owner=$3 sent=$4 sign=$5
if [ -d "$target" ]; then
  echo "$target: Is a directory" >&2
  exit 1
fi
# Parts of killed uploads; as in write-file, the last writer to start wins.
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
# Record first: after a kill in between the old file does not match it and the content is sent again.
printf '%s\n' "$origin" >"$target.origin"
mv -f "$part" "$target"
