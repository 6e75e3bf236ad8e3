# agent-resign <slot>
# Signs the program of a slot anew, in a new file that is renamed into place: the kernel forgets what it knew of the old
# one. Its record goes along, so that it still counts as what was sent. Exits 85 when it is not what was sent: signed, it
# would count as ours from then on.
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
