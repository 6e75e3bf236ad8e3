# register-runner <directory> <url> <name> <labels>, and the registration token on standard input
# As the runner's user. The token goes into config.sh by its environment: among its arguments everybody could read it, and
# its prompt wants a terminal. config.sh takes it out of its environment at once.
# Exits 85 when config.sh fails, with all it said on standard error; what was registered before is in its place then.
set -eu
umask 077
cd "$1"
url=$2 name=$3 labels=$4 kept=.registered-before marked=
IFS= read -r token || [ -n "$token" ]

put_back() {
  # Without .runner, which is written last, nothing came of it.
  if [ ! -f .runner ]; then
    for file in .runner .credentials .credentials_rsaparams; do
      if [ -f "$kept/$file" ]; then mv -f "$kept/$file" "$file"; fi
    done
    if [ -n "$marked" ]; then rm -f .restart; fi
  fi
  rm -rf "$kept"
}

# One that was ended half-way left it.
if [ -d "$kept" ]; then put_back; fi
trap put_back EXIT
mkdir "$kept"
for file in .runner .credentials .credentials_rsaparams; do
  if [ -f "$file" ]; then cp -p "$file" "$kept/$file"; fi
done
# What runs is the old one from the moment there is a new one.
if [ ! -f .restart ]; then
  touch .restart
  marked=yes
fi
# It configures nothing where there is a .runner.
rm -f .runner .credentials .credentials_rsaparams
if ! ACTIONS_RUNNER_INPUT_TOKEN=$token ./config.sh --unattended --replace --disableupdate --work _work \
  --url "$url" --name "$name" --labels "$labels" </dev/null >&2; then
  exit 85
fi
printf '%s %s %s\n' "$url" "$name" "$labels" >.registration.part
mv -f .registration.part .registration
