# guest-agent: Tart's guest agent, at GUEST_AGENT_VERSION with GUEST_AGENT_SHA256, as a launchd job of the GUI session. As root.
# Not as a daemon, so that a Pod's command has the account's home, keychain and screen.
set -eu
archive=/tmp/tart-guest-agent.tar.gz
place=https://github.com/openai/tart-guest-agent/releases/download
/bin/sh /tmp/fetch-verified.sh "$place/v$GUEST_AGENT_VERSION/tart-guest-agent-darwin-all.tar.gz" "$GUEST_AGENT_SHA256" "$archive"
mkdir -p /usr/local/bin
tar -xzf "$archive" -C /usr/local/bin tart-guest-agent
rm -f "$archive"
chown root:wheel /usr/local/bin/tart-guest-agent
chmod 0755 /usr/local/bin/tart-guest-agent
# Two agents would compete for one port, so the agent of the base image is removed, whatever its name.
rm -f /Library/LaunchAgents/*.tart-guest-agent.plist
cat >/Library/LaunchAgents/org.cirruslabs.tart-guest-agent.plist <<'PLIST'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>org.cirruslabs.tart-guest-agent</string>
  <key>ProgramArguments</key>
  <array>
    <string>/usr/local/bin/tart-guest-agent</string>
    <string>--run-agent</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key><string>/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin</string>
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>StandardErrorPath</key><string>/tmp/tart-guest-agent.log</string>
  <key>StandardOutPath</key><string>/tmp/tart-guest-agent.log</string>
</dict>
</plist>
PLIST
chown root:wheel /Library/LaunchAgents/org.cirruslabs.tart-guest-agent.plist
chmod 0644 /Library/LaunchAgents/org.cirruslabs.tart-guest-agent.plist
