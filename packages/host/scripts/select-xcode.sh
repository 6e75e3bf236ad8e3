# select-xcode <developer directory>: selects it and accepts its license.
# As root. Exits with the code of xcode-select or xcodebuild.
set -eu
xcode-select --switch "$1"
if ! xcodebuild -license check >/dev/null 2>&1; then xcodebuild -license accept; fi
xcrun --find swift
