# agent-resign <slot>
# Signs the program of a slot anew, in a new file that is renamed into place: the kernel forgets what it knew of the old
# one. Its record goes along, so that it still counts as what was sent.
set -eu
program=/usr/local/lib/tart-kubelet/$1/tart-kubelet
part=$(mktemp "$program.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
cp -p "$program" "$part"
codesign --force --sign - "$part"
codesign --verify "$part"
if [ -f "$program.origin" ]; then
  sent=$(cut -d ' ' -f 1 "$program.origin")
  printf '%s %s\n' "$sent" "$(shasum -a 256 <"$part")" >"$program.origin"
fi
mv -f "$part" "$program"
