#!/bin/sh
# Installs the locked dependencies when they are missing or the lockfile changed, then runs the given command
# with the repository's own Node first on PATH. Plain sh: it must work before anything of ours is installed.
set -eu
cd "$(dirname "$0")/.."
stamp=node_modules/.minifleet-lockfile
if ! cmp -s package-lock.json "$stamp"; then
  echo "minifleet: installing dependencies (first run or package-lock.json changed)…" >&2
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  cp package-lock.json "$stamp"
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
exec "$@"
