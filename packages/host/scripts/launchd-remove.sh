# launchd-remove <label> [<path>]...
# Takes a job off, its property list and what else belongs to it. Exits as launchd-functions says.
set -eu
label=$1
shift
job_leaves "$label"
rm -f "/Library/LaunchDaemons/$label.plist" "/Library/LaunchDaemons/$label.plist".minifleet-part.??????
for path in "$@"; do rm -rf "$path"; done
