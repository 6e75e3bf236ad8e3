# agent-resign <slot>
# Signs the program of a slot again, in a new file that is renamed into place, so that the kernel drops its cached
# signature. Updates the record, so that the program still counts as the uploaded one. Exits 85 if it is not the uploaded
# program: once signed, it would be trusted.
set -eu
program=/usr/local/lib/tart-kubelet/$1/tart-kubelet
part=$(mktemp "$program.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
cp -p "$program" "$part"
[ -f "$program.origin" ] || exit 85
sent=$(cut -d ' ' -f 1 "$program.origin")
[ "$(cat "$program.origin")" = "$sent $(shasum -a 256 <"$part")" ] || exit 85
codesign --force --sign - "$part"
codesign --verify "$part"
printf '%s %s\n' "$sent" "$(shasum -a 256 <"$part")" >"$program.origin"
mv -f "$part" "$program"
