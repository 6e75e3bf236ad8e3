# hostname <name>: gives the Mac this name in all three places it keeps one. As root.
# Exits with scutil's code when one is refused; those before it are set.
set -eu
for kind in HostName LocalHostName ComputerName; do
  scutil --set "$kind" "$1"
done
