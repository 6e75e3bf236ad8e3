# xcode: prepares every Xcode of XCODE_VERSIONS, which must be in the base image, and selects the first. As root.
# Installs none, because that needs an Apple ID and half an hour. Base images contain them.
set -eu
selected=
for version in $XCODE_VERSIONS; do
  developer=/Applications/Xcode_$version.app/Contents/Developer
  if [ ! -d "$developer" ]; then
    echo "the base image has no Xcode $version: $developer does not exist" >&2
    exit 1
  fi
  if ! DEVELOPER_DIR=$developer xcodebuild -license check >/dev/null 2>&1; then
    DEVELOPER_DIR=$developer xcodebuild -license accept
  fi
  DEVELOPER_DIR=$developer xcodebuild -runFirstLaunch
  selected=${selected:-$developer}
done
if [ -n "$selected" ]; then xcode-select --switch "$selected"; fi
