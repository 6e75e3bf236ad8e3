# xcode: every Xcode of XCODE_VERSIONS is in the base and ready to use; the first of them is the selected one. As root.
# None is installed: that needs an Apple ID and half an hour, and belongs into the base image.
set -eu
selected=
for version in $XCODE_VERSIONS; do
  developer=/Applications/Xcode_$version.app/Contents/Developer
  if [ ! -d "$developer" ]; then
    echo "the base image has no Xcode $version: there is no $developer" >&2
    exit 1
  fi
  if ! DEVELOPER_DIR=$developer xcodebuild -license check >/dev/null 2>&1; then
    DEVELOPER_DIR=$developer xcodebuild -license accept
  fi
  DEVELOPER_DIR=$developer xcodebuild -runFirstLaunch
  selected=${selected:-$developer}
done
if [ -n "$selected" ]; then xcode-select --switch "$selected"; fi
