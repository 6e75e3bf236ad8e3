# register-runner <directory> <url> <name> <labels>, and the registration token on standard input
# As the runner's user. The token is passed to config.sh in its environment: every process can read arguments, and the
# prompt needs a terminal. config.sh removes the token from its environment at once.
# Exits 85 if config.sh fails, with its output on standard error; the previous registration is then restored.
set -eu
umask 077
cd "$1"
url=$2 name=$3 labels=$4 kept=.registered-before marked=
IFS= read -r token || [ -n "$token" ]

put_back() {
  # .runner is written last: without it the registration failed.
  if [ ! -f .runner ]; then
    for file in .runner .credentials .credentials_rsaparams; do
      if [ -f "$kept/$file" ]; then mv -f "$kept/$file" "$file"; fi
    done
    if [ -n "$marked" ]; then rm -f .restart; fi
  fi
  rm -rf "$kept"
}

# Left behind by an interrupted run.
if [ -d "$kept" ]; then put_back; fi
trap put_back EXIT
mkdir "$kept"
for file in .runner .credentials .credentials_rsaparams; do
  if [ -f "$file" ]; then cp -p "$file" "$kept/$file"; fi
done
# From here on the running process is outdated.
if [ ! -f .restart ]; then
  touch .restart
  marked=yes
fi
# config.sh does nothing if .runner exists.
rm -f .runner .credentials .credentials_rsaparams
if ! ACTIONS_RUNNER_INPUT_TOKEN=$token ./config.sh --unattended --replace --disableupdate --work _work \
  --url "$url" --name "$name" --labels "$labels" </dev/null >&2; then
  exit 85
fi
printf '%s %s %s\n' "$url" "$name" "$labels" >.registration.part
mv -f .registration.part .registration
