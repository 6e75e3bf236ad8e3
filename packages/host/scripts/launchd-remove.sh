# launchd-remove <label> [<path>]...
# Removes a job, its property list and the given paths. Exits as in launchd-functions.
set -eu
label=$1
shift
job_leaves "$label"
rm -f "/Library/LaunchDaemons/$label.plist" "/Library/LaunchDaemons/$label.plist".minifleet-part.??????
for path in "$@"; do rm -rf "$path"; done
