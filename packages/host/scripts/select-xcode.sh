# select-xcode <developer directory>: makes it the one tools are taken from, and accepts its licence.
# As root. Exits as xcode-select and xcodebuild do.
set -eu
xcode-select --switch "$1"
if ! xcodebuild -license check >/dev/null 2>&1; then xcodebuild -license accept; fi
xcrun --find swift
