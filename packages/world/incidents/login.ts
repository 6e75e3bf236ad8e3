import { encodePassword } from '../mac/login-window/kcpassword.ts';
import type { OldWay } from './old-way.ts';
import type { SceneMac } from './scene-mac.ts';

/** The operators' auto-login step: write, kick, and report success. Nobody reads the file again. */
const autoLogin = (password: string, kick: string): string => `set -euo pipefail
printf '%s' '${encodePassword(password).toString('base64')}' | base64 -D | sudo tee /etc/kcpassword >/dev/null
sudo chmod 600 /etc/kcpassword
sudo defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1
${kick}`;

const KICKSTART = 'sudo launchctl kickstart -k system/com.apple.loginwindow';

async function stateOf(mac: SceneMac): Promise<string> {
  const sealed = mac.read('/etc/kcpassword').equals(encodePassword('<sealed>'))
    ? 'kcpassword is <sealed>'
    : 'kcpassword is kept';
  const { code } = await mac.run('sudo launchctl print gui/501');
  return `${sealed}, ${code === 0 ? 'an Aqua session' : 'no Aqua session'}`;
}

export const loginIncidents: readonly OldWay[] = [
  {
    id: 'I06',
    title: 'a wrong password is encoded for auto-login, and the bootstrap is green',
    did: 'wrote kcpassword from a stale Secret, kicked the login window, did not look again',
    seen: /exit status 0, then kcpassword is <sealed>, no Aqua session/,
    async run(scene) {
      const mac = await scene.mac();
      const { code } = await mac.run(autoLogin('last weeks password', KICKSTART));
      await mac.pass(60);
      return `bootstrap: exit status ${code}, then ${await stateOf(mac)}`;
    },
  },
  {
    id: 'I07',
    title: 'the prepare script with a mistyped password on a host that already has sudoers',
    did: 'skipped sudo because the sudoers file was there, wrote kcpassword from the mistyped password, exited 0',
    seen: /exit status 0, then kcpassword is <sealed>/,
    async run(scene) {
      const mac = await scene.mac();
      const sudoersOnce = 'test -f /etc/sudoers.d/m1-nopasswd';
      const { code } = await mac.run(`${sudoersOnce} && ${autoLogin('corect horse', KICKSTART)}`);
      await mac.pass(60);
      return `prepare-fleet-host: exit status ${code}, then ${await stateOf(mac)}`;
    },
  },
  {
    id: 'I08',
    title: 'the login window is gone after SIGHUP',
    did: 'sent SIGHUP to the login window twice, minutes apart',
    seen: /No matching processes/,
    async run(scene) {
      const mac = await scene.mac();
      await mac.run('sudo killall -HUP loginwindow');
      await mac.pass(120);
      const { code, err } = await mac.run('sudo killall -HUP loginwindow');
      return `${err.trim()} (exit status ${code})`;
    },
  },
  {
    id: 'I14',
    title: 'a password in a remote command line breaks its quoting',
    did: 'put the password between quotes into the command sshpass ran; the password had a quote in it',
    seen: /unmatched/,
    async run(scene) {
      const mac = await scene.mac({ passwordlessSudo: false, password: "don't tell" });
      const { err } = await mac.run(`echo '${mac.password}' | sudo -S true`);
      return err;
    },
  },
  {
    id: 'I34',
    title: 'a stale sudo password is tried again and again',
    did: 'piped the stored password to sudo -S on every retry of the bootstrap',
    seen: /locked|right password is refused/,
    async run(scene) {
      const mac = await scene.mac({ passwordlessSudo: false });
      for (let attempt = 0; attempt < 8; attempt++) await mac.run('sudo -S true', { stdin: 'stale\nstale\nstale\n' });
      const { code, err } = await mac.run('sudo -S true', { stdin: `${mac.password}\n` });
      return code === 0 ? 'the right password works' : `the right password is refused, too: ${err.trim()}`;
    },
  },
  {
    id: 'I35',
    title: '/usr/local/bin is missing on a fresh image',
    did: 'streamed a script to /usr/local/bin before anything had made the folder',
    seen: /\/usr\/local\/bin\/tuist-ssh-reachability: No such file or directory/,
    async run(scene) {
      const mac = await scene.mac();
      const { err } = await mac.run('sudo tee /usr/local/bin/tuist-ssh-reachability >/dev/null', {
        stdin: '#!/bin/sh\n',
      });
      return err;
    },
  },
];
