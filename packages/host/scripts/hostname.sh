# hostname <name>: sets all three names of the Mac. As root.
# Exits with the code of scutil if one fails; the names before it are set.
set -eu
for kind in HostName LocalHostName ComputerName; do
  scutil --set "$kind" "$1"
done
