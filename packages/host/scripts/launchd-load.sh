# launchd-load <label> <sha256 of the property list>
# Reads a property list from standard input and reloads its job. Exits 80 if the list arrived incomplete, 81 if another
# process started the same meanwhile (nothing was changed), else as in launchd-functions.
set -eu
label=$1 sent=$2
plist=/Library/LaunchDaemons/$label.plist
# As in write-file: the last writer to start wins, and a run left behind by a lost connection gives up.
rm -f "$plist".minifleet-part.??????
part=$(mktemp "$plist.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
cat >"$part"
[ "$(shasum -a 256 <"$part")" = "$sent  -" ] || exit 80
chown root:wheel "$part"
chmod 0644 "$part"
launchctl enable "system/$label"
[ -e "$part" ] || exit 81
# In this order: after an interruption launchd has no such job, which the next inspection detects.
job_leaves "$label"
mv -f "$part" "$plist"
job_enters "$label"
