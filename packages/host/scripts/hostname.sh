# hostname <name> <record>: sets all three names of the Mac. As root.
# Records the names before, once, for remove-access.sh. Exits with the code of scutil if one fails; the names before it
# are set.
set -eu
name=$1 record=$2
if [ ! -e "$record" ]; then
  mkdir -p "$(dirname "$record")"
  for kind in HostName LocalHostName ComputerName; do
    # A name that is not set is an empty line.
    if before=$(scutil --get "$kind" 2>/dev/null); then echo "$before"; else echo; fi
  done >"$record.part"
  mv -f "$record.part" "$record"
fi
for kind in HostName LocalHostName ComputerName; do
  scutil --set "$kind" "$name"
done
