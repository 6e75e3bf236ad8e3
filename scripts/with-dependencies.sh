#!/bin/sh
# Installs the locked dependencies when they are missing or the lockfile changed, then runs the given command
# with the repository's own Node first on PATH. Plain sh, because it runs before any dependency is installed.
set -eu
cd "$(dirname "$0")/.."
stamp=node_modules/.minifleet-lockfile
if ! cmp -s package-lock.json "$stamp"; then
  echo "minifleet: installing dependencies (first run or package-lock.json changed)…" >&2
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  # C headers for native add-ons, 67 MB in each Node package. Nothing here compiles an add-on.
  rm -rf node_modules/node-linux-*/include node_modules/node-bin-*/include
  cp package-lock.json "$stamp"
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
exec "$@"
