# remove-tart <bundle> <command> <text of the command> <user>: removes the Tart that tart-install.sh installed. As root.
# Removes Tart's folder of the user, too, unless it holds a VM or an image. A command with another text stays.
set -eu
app=$1 command=$2 text=$3 user=$4
lib=$(dirname "$app")

if [ -e "$app.origin" ]; then
  tart=$app/Contents/MacOS/tart
  if [ -x "$tart" ] && held=$(sudo -n -H -u "$user" "$tart" list --quiet) && [ -z "$held" ]; then
    rm -rf "/Users/$user/.tart"
  fi
  # The record goes last: without it the bundle would count as installed by others.
  rm -rf "$lib/tart.minifleet-new" "$lib/tart.minifleet-old" "$lib/tart.tar.gz" "$lib/tart.tar.gz.origin" "$app"
  rm -f "$app.origin"
fi
if [ -f "$command" ] && [ "$(cat "$command")" = "${text%
}" ]; then rm -f "$command"; fi
