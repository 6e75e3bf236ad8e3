# launchd-load <label> <sha256 of the property list>
# Takes a property list from standard input and has launchd run its job anew. Exits 80 when the list did not arrive
# whole, 81 when somebody else began the same meanwhile (nothing has changed then), else as launchd-functions says.
set -eu
label=$1 sent=$2
plist=/Library/LaunchDaemons/$label.plist
# As in write-file: the last to begin wins, and what a lost connection left running gives up.
rm -f "$plist".minifleet-part.??????
part=$(mktemp "$plist.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
cat >"$part"
[ "$(shasum -a 256 <"$part")" = "$sent  -" ] || exit 80
chown root:wheel "$part"
chmod 0644 "$part"
launchctl enable "system/$label"
[ -e "$part" ] || exit 81
# In this order: interrupted anywhere, launchd does not know the job, and whoever looks sees that it does not.
job_leaves "$label"
mv -f "$part" "$plist"
job_enters "$label"
