# xcresult-processor: installs the uploaded release in /opt/xcresult-processor if its SHA-256 is PROCESSOR_SHA256. As root.
# Exits with 1 for another checksum, without bin/start, or if the base image has no xcresulttool.
set -eu
archive=/tmp/xcresult-processor.tar.gz
found=$(shasum -a 256 <"$archive")
if [ "$found" != "$PROCESSOR_SHA256  -" ]; then
  echo "the release of the processor: checksum mismatch (SHA-256 is ${found%% *}, pinned is $PROCESSOR_SHA256)" >&2
  exit 1
fi
rm -rf /opt/xcresult-processor
mkdir -p /opt/xcresult-processor
tar -xzf "$archive" -C /opt/xcresult-processor
rm -f "$archive"
if [ ! -x /opt/xcresult-processor/bin/start ]; then
  echo 'the release of the processor has no executable bin/start' >&2
  exit 1
fi
chown -R "$ACCOUNT:staff" /opt/xcresult-processor
xcrun --find xcresulttool
