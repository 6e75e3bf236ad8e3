# sudo-grant <file> <rule>: makes the rule one of sudo's. As root.
# Exits 84 when visudo refuses the rule; what was there is then as it was. Reads no input: what is left of it belongs
# to nobody.
set -eu
file=$1 rule=$2
mkdir -p "$(dirname "$file")"
# A name with a dot: sudo does not read it, whatever state it is in. Those of runs that were killed go first; one that
# still lives finds its own gone and gives up.
rm -f "$file".minifleet-part.??????
part=$(mktemp "$file.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
printf '%s\n' "$rule" >"$part"
# Before the rename: one file that does not parse stops sudo altogether, and nobody gets back in over SSH.
visudo -cf "$part" >&2 || exit 84
chown root:wheel "$part"
chmod 0440 "$part"
mv -f "$part" "$file"
