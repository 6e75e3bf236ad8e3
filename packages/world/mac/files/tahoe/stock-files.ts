/** Contents of files as macOS Tahoe ships them, limited to what programs here read or edit. */

/**
 * Derived from the pf.conf that macOS has shipped since 10.10. Facts host-bootstrap 3.10 requires that these anchors
 * survive edits.
 */
export const PF_CONF = `#
# Default PF configuration file.
#
# This file contains the main ruleset, which gets automatically loaded
# at startup.  PF will not be automatically enabled, however.  Instead,
# each component which utilizes PF is responsible for enabling and disabling
# PF via -E and -X as documented in pfctl(8).  That will ensure that PF
# is disabled only when the last enable reference is released.
#
# Care must be taken to ensure that the main ruleset does not get flushed,
# as the nested anchors rely on the anchor point defined here. In addition,
# to the anchors loaded by this file, some system services would dynamically
# insert anchors into the main ruleset. These anchors will be added only when
# the system service is used and would removed on termination of the service.
#
# See pf.conf(5) for syntax.
#

#
# com.apple anchor point
#
scrub-anchor "com.apple/*"
nat-anchor "com.apple/*"
rdr-anchor "com.apple/*"
dummynet-anchor "com.apple/*"
anchor "com.apple/*"
load anchor "com.apple" from "/etc/pf.anchors/com.apple"
`;

export const PF_ANCHOR_COM_APPLE = `#
# com.apple ruleset, referred to by the default /etc/pf.conf file.
# See notes in that file regarding the anchor point in the main ruleset.
# Copyright (c) 2011 Apple Inc. All rights reserved.
#

#
# AirDrop anchor point.
#
anchor "200.AirDrop/*"

#
# Application Firewall anchor point.
#
anchor "250.ApplicationFirewall/*"
`;

export const SUDOERS = `#
# Sample /etc/sudoers file.
#
# This file MUST be edited with the 'visudo' command as root.
#
Defaults	env_reset
Defaults	env_keep += "BLOCKSIZE"
Defaults	env_keep += "COLORFGBG COLORTERM"
Defaults	env_keep += "CHARSET LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE"
Defaults	env_keep += "LINES COLUMNS"
Defaults	env_keep += "LSCOLORS"
Defaults	env_keep += "SSH_AUTH_SOCK"
Defaults	env_keep += "TZ"
Defaults	env_keep += "DISPLAY XAUTHORIZATION XAUTHORITY"
Defaults	env_keep += "EDITOR VISUAL"
Defaults	env_keep += "HOME MAIL"

Defaults	lecture_file = "/etc/sudo_lecture"

##
# User specification
##

root		ALL = (ALL) ALL
%admin		ALL = (ALL) ALL

## Read drop-in files from /private/etc/sudoers.d
## (the '#' here does not indicate a comment)
#includedir /private/etc/sudoers.d
`;

/** The second file is the vendor's change; seed S1 says that sshd reads both. */
export const SSHD_CONFIG = `Include /etc/ssh/sshd_config.d/*
AuthorizedKeysFile	.ssh/authorized_keys .ssh/scw_authorized_keys
Subsystem	sftp	/usr/libexec/sftp-server
`;

export const HOSTS = `##
# Host Database
#
# localhost is used to configure the loopback interface
# when the system is booting.  Do not change this entry.
##
127.0.0.1	localhost
255.255.255.255	broadcasthost
::1             localhost
`;

export const SHELLS = `/bin/bash
/bin/csh
/bin/dash
/bin/ksh
/bin/sh
/bin/tcsh
/bin/zsh
`;

export const ZPROFILE = `# System-wide profile for interactive zsh(1) shells.

# Setup user specific overrides for this in ~/.zprofile. See zshbuiltins(1)
# and zshoptions(1) for more details.

if [ -x /usr/libexec/path_helper ]; then
	eval \`/usr/libexec/path_helper -s\`
fi
`;

export const PATHS = `/usr/local/bin
/System/Cryptexes/App/usr/bin
/usr/bin
/bin
/usr/sbin
/sbin
`;

const plist = (body: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${body}
</dict>
</plist>
`;

const text = (key: string, value: string): string => `\t<key>${key}</key>\n\t<string>${value}</string>`;

export const SSH_PLIST = plist(`${text('Label', 'com.openssh.sshd')}
\t<key>ProgramArguments</key>
\t<array>
\t\t<string>/usr/libexec/sshd-keygen-wrapper</string>
\t</array>
\t<key>Sockets</key>
\t<dict>
\t\t<key>Listeners</key>
\t\t<dict>
\t\t\t<key>SockServiceName</key>
\t\t\t<string>ssh</string>
\t\t</dict>
\t</dict>
\t<key>inetdCompatibility</key>
\t<dict>
\t\t<key>Wait</key>
\t\t<false/>
\t</dict>`);

export const LOGINWINDOW_PLIST = plist(`${text('Label', 'com.apple.loginwindow')}
\t<key>ProgramArguments</key>
\t<array>
\t\t<string>/System/Library/CoreServices/loginwindow.app/Contents/MacOS/loginwindow</string>
\t\t<string>console</string>
\t</array>`);

export const MDNSRESPONDER_PLIST = plist(`${text('Label', 'com.apple.mDNSResponder.reloaded')}
\t<key>ProgramArguments</key>
\t<array>
\t\t<string>/usr/sbin/mDNSResponder</string>
\t</array>
\t<key>UserName</key>
\t<string>_mdnsresponder</string>`);

export const systemVersion = (version: string, build: string): string =>
  plist(
    [
      text('ProductBuildVersion', build),
      text('ProductName', 'macOS'),
      text('ProductUserVisibleVersion', version),
      text('ProductVersion', version),
    ].join('\n'),
  );
