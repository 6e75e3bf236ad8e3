# unpack-runner <directory> <user> <archive> <version> <sha256 of the archive>
# As root. Unpacks next to the directory, then replaces each part; settings, registration and work of an existing runner
# are kept. Exits 84 if the archive contains no runner.
set -eu
dir=$1 user=$2 archive=$3 version=$4 sha256=$5
trap 'rm -rf "$dir.new"' EXIT
rm -rf "$dir.new"
mkdir -p "$dir.new" "$dir"
if ! tar -xzf "$archive" -C "$dir.new"; then exit 84; fi
if [ ! -x "$dir.new/config.sh" ] || [ ! -f "$dir.new/bin/runsvc.sh" ]; then
  echo 'config.sh is missing' >&2
  exit 84
fi
chown -R "$user:staff" "$dir.new"
chown "$user:staff" "$dir"
# From here on the files are neither old nor new, and the running process is outdated, until both files are updated.
touch "$dir/.restart"
rm -f "$dir/.archive"
for part in "$dir.new"/*; do
  rm -rf "${dir:?}/${part##*/}"
  mv "$part" "$dir/${part##*/}"
done
# Directories of a runner that updated itself.
rm -rf "$dir"/bin.* "$dir"/externals.*
printf '%s %s\n' "$version" "$sha256" >"$dir/.archive.part"
mv -f "$dir/.archive.part" "$dir/.archive"
rm -f "$archive" "$archive.origin"
