# tart-install <archive> <sha256 of it> <version> <user> <idle|anyhow>
# Unpacks Tart next to the installed one, tests it, and replaces it; `idle` only while no VM runs. Records the archive
# and the program hash in tart.app.origin. The archive is removed.
# Exits 84 if the archive cannot be unpacked or contains no tart.app, 85 if its signature is broken, 86 if it is another
# version (which it prints), 87 if VMs run; the installed Tart is then unchanged.
set -eu
archive=$1 sha256=$2 version=$3 user=$4 when=$5
lib=/usr/local/lib
app=$lib/tart.app
new=$lib/tart.minifleet-new
old=$lib/tart.minifleet-old

# A bundle cannot be renamed over another: for a moment there is none, and a run killed then left the old one aside.
restore() {
  if [ ! -e "$app" ] && [ -e "$old" ]; then mv "$old" "$app"; fi
}
restore
trap restore EXIT
rm -rf "$new" "$old"
mkdir -p "$new"
tar -xzf "$archive" -C "$new" || exit 84
[ -x "$new/tart.app/Contents/MacOS/tart" ] || exit 84
# Owners in the archive are those of its builder.
chown -R root:wheel "$new"
codesign --verify "$new/tart.app" || exit 85
# As the user, like the agent: root must not create the home directory of Tart.
said=$(sudo -n -u "$user" "$new/tart.app/Contents/MacOS/tart" --version)
if [ "$said" != "$version" ]; then
  echo "$said"
  exit 86
fi
if [ "$when" = idle ] && [ -e "$app" ] && pgrep -qf '(^|/)(tart (run|push)|packer build|Runner\.Worker)( |$)'; then exit 87; fi
# Record first: after a kill in between it does not match the installed bundle.
printf '%s %s\n' "$sha256" "$(shasum -a 256 <"$new/tart.app/Contents/MacOS/tart" | cut -c 1-64)" >"$app.origin"
if [ -e "$app" ]; then mv "$app" "$old"; fi
mv "$new/tart.app" "$app"
rm -rf "$new" "$old" "$archive" "$archive.origin"
