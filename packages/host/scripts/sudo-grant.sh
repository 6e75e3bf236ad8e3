# sudo-grant <file> <rule>: installs a sudoers rule. As root.
# Exits 84 if visudo rejects the rule; the file is then unchanged. Does not read standard input, which may contain the
# rest of the password input.
set -eu
file=$1 rule=$2
mkdir -p "$(dirname "$file")"
# A name with a dot: sudo ignores it in any state. Parts of killed runs are removed first; a run that is still alive finds
# its part gone and gives up.
rm -f "$file".minifleet-part.??????
part=$(mktemp "$file.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
printf '%s\n' "$rule" >"$part"
# Before the rename: one invalid file disables sudo completely, and SSH could not repair it.
visudo -cf "$part" >&2 || exit 84
chown root:wheel "$part"
chmod 0440 "$part"
mv -f "$part" "$file"
