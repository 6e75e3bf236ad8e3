# guest-dhcp-lease <property list> <seconds | absent>: how long guests keep an address, or macOS's own choice. As root.
# Everything else in the file stays. Says what it put aside. Exits with the code of the first command that fails; the
# file is then as it was.
set -eu
file=$1 lease=$2
mkdir -p "$(dirname "$file")"
# Parts of runs that were killed; one that still lives finds its own gone and gives up.
rm -f "$file".minifleet-part.??????
part=$(mktemp "$file.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
if plutil -lint "$file" >/dev/null 2>&1; then
  cp "$file" "$part"
else
  if [ -f "$file" ]; then
    cp "$file" "$file.damaged"
    echo "kept the unreadable file as $file.damaged"
  fi
  echo '{}' | plutil -convert xml1 -o "$part" -
fi
# On a copy, with plutil: `defaults` can neither leave the rest of the dictionary alone when it takes a key away, nor
# replace the file at once.
if [ "$lease" = absent ]; then
  plutil -remove bootpd.DHCPLeaseTimeSecs "$part"
  if [ -z "$(plutil -extract bootpd raw -o - "$part")" ]; then plutil -remove bootpd "$part"; fi
else
  plutil -extract bootpd raw -o - "$part" >/dev/null 2>&1 || plutil -replace bootpd -json '{}' "$part"
  plutil -replace bootpd.DHCPLeaseTimeSecs -integer "$lease" "$part"
fi
chown root:wheel "$part"
chmod 0644 "$part"
mv -f "$part" "$file"
