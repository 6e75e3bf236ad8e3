# xcresult-processor: the uploaded release, if its SHA-256 is PROCESSOR_SHA256, in /opt/xcresult-processor. As root.
# Exits 1 when it is another, when it has no bin/start, or when the base has no xcresulttool for it to call.
set -eu
archive=/tmp/xcresult-processor.tar.gz
found=$(shasum -a 256 <"$archive")
if [ "$found" != "$PROCESSOR_SHA256  -" ]; then
  echo "the release of the processor is not what was pinned: its SHA-256 is ${found%% *}, wanted $PROCESSOR_SHA256" >&2
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
