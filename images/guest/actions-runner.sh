# actions-runner: GitHub's runner, RUNNER_VERSION with RUNNER_SHA256, in ~/actions-runner of the account that runs jobs.
# Not configured: each Pod has a registration for one job.
set -eu
archive=actions-runner-osx-arm64-$RUNNER_VERSION.tar.gz
place=https://github.com/actions/runner/releases/download
/bin/sh /tmp/fetch-verified.sh "$place/v$RUNNER_VERSION/$archive" "$RUNNER_SHA256" "/tmp/$archive"
rm -rf "$HOME/actions-runner"
mkdir -p "$HOME/actions-runner"
tar -xzf "/tmp/$archive" -C "$HOME/actions-runner"
rm -f "/tmp/$archive"
