#!/bin/sh
# Installs the locked dependencies when they are missing or the lockfile changed, then runs the given command
# with the repository's own Node first on PATH. Plain sh, because it runs before any dependency is installed.
set -eu
cd "$(dirname "$0")/.."
stamp=node_modules/.minifleet-lockfile
if ! cmp -s package-lock.json "$stamp"; then
  echo "minifleet: installing dependencies (first run or package-lock.json changed)…" >&2
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  # Unused parts of packages: C headers of Node for native add-ons (67 MB), which nothing here compiles, and the
  # validators of kubernetes-models (9 MB), of which only types are used.
  rm -rf node_modules/node-linux-*/include node_modules/node-bin-*/include node_modules/kubernetes-models/_schemas
  cp package-lock.json "$stamp"
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
exec "$@"
