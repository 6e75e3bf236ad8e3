# tart-install <archive> <sha256 of it> <version> <user> <idle|anyhow>
# Unpacks Tart beside the one that is there, tries it, and puts it in its place; `idle` only while no VM runs. Which
# archive it came from, and its program's hash, is kept in tart.app.origin. The archive is removed.
# Exits 84 when the archive cannot be unpacked or holds no tart.app, 85 when its signature is broken, 86 when it is another
# version (which it says), 87 when VMs run; what was there is still there then.
set -eu
archive=$1 sha256=$2 version=$3 user=$4 when=$5
lib=/usr/local/lib
app=$lib/tart.app
new=$lib/tart.minifleet-new
old=$lib/tart.minifleet-old

# A bundle cannot be renamed onto another: for a moment there is none, and whoever was killed then left it aside.
restore() {
  if [ ! -e "$app" ] && [ -e "$old" ]; then mv "$old" "$app"; fi
}
restore
trap restore EXIT
rm -rf "$new" "$old"
mkdir -p "$new"
tar -xzf "$archive" -C "$new" || exit 84
[ -x "$new/tart.app/Contents/MacOS/tart" ] || exit 84
# The archive's owners are those of whoever built it.
chown -R root:wheel "$new"
codesign --verify "$new/tart.app" || exit 85
# As the agent will: root must not be the one who makes Tart's home.
said=$(sudo -n -u "$user" "$new/tart.app/Contents/MacOS/tart" --version)
if [ "$said" != "$version" ]; then
  echo "$said"
  exit 86
fi
if [ "$when" = idle ] && [ -e "$app" ] && pgrep -qf '(^|/)(tart (run|push)|packer build|Runner\.Worker)( |$)'; then exit 87; fi
# The record goes first: killed in between, it does not match what lies there.
printf '%s %s\n' "$sha256" "$(shasum -a 256 <"$new/tart.app/Contents/MacOS/tart" | cut -c 1-64)" >"$app.origin"
if [ -e "$app" ]; then mv "$app" "$old"; fi
mv "$new/tart.app" "$app"
rm -rf "$new" "$old" "$archive" "$archive.origin"
