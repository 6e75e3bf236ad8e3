import { seconds } from '@minifleet/clock';
import { brew, homebrewOf, installHomebrew, PREFIX } from '../mac/builder/brew.ts';
import { builderOf } from '../mac/builder/image-builder.ts';

import { unpackRunner } from '../mac/builder/runner-state.ts';
import { clickAllow } from '../mac/local-network/local-network.ts';
import { encodePassword } from '../mac/login-window/kcpassword.ts';
import { m1, root } from '../mac/mac.ts';
import type { OldWay } from './old-way.ts';
import type { Scene, SceneMac } from './scene-mac.ts';

const HOME = '/opt/actions-runner';
const TOKEN = 'AAREGTOKENCANARY';
const PACKER = `${PREFIX}/bin/packer`;

/** A builder host with someone logged in at the screen and the runner's archive unpacked. */
async function host(scene: Scene, acceptedToken: string): Promise<SceneMac> {
  const scenery = await scene.mac();
  const { mac } = scenery;
  scenery.write('/etc/kcpassword', encodePassword(scenery.password), 0o600);
  await scenery.run(`sudo defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1
sudo launchctl kickstart -k system/com.apple.loginwindow`);
  await scenery.pass(10);
  mac.files.makeDirectory(root, HOME, { parents: true });
  mac.files.chown(root, HOME, m1.uid, m1.gid);
  unpackRunner(mac, HOME, m1);
  builderOf(mac).forge = {
    register: async ({ token }) => (token === acceptedToken ? { id: 7 } : { status: 404, message: 'Not Found' }),
    unregister: async () => undefined,
    online: () => undefined,
    offline: () => undefined,
  };
  return scenery;
}

const CONFIGURE = `cd ${HOME}
./config.sh --url https://github.com/acme --token ${TOKEN} --name mini-01 --labels vm-image-builder --work _work --unattended --replace`;

/** What the operators' runner put into an event when a step failed: the whole script, and stderr. */
const eventOf = (script: string, { code, err }: { readonly code: number; readonly err: string }): string =>
  `Warning BootstrapFailed: run "${script}": exit status ${code}: ${err}`;

export const builderIncidents: readonly OldWay[] = [
  {
    id: 'I24',
    title: 'the runner’s own service script over SSH',
    did: 'ran svc.sh install and svc.sh start in an SSH session',
    seen: /Failed: failed to load/,
    async run(scene) {
      const mac = await host(scene, TOKEN);
      await mac.run(CONFIGURE);
      const { err } = await mac.run(`cd ${HOME} && ./svc.sh install m1 && ./svc.sh start`);
      return err;
    },
  },
  {
    id: 'I26',
    title: 'brew upgrades Packer, and its Local Network grant is gone',
    did: 'upgraded everything with brew before a bake; the grant had been clicked for the binary before',
    seen: /Waiting for SSH to become available\.\.\..*still waits after a day/s,
    async run(scene) {
      const mac = await host(scene, TOKEN);
      installHomebrew(mac.mac, brew);
      await mac.run(`${PREFIX}/bin/brew tap hashicorp/tap && ${PREFIX}/bin/brew install hashicorp/tap/packer`);
      clickAllow(mac.mac, PACKER);
      mac.write('/Users/m1/runner.pkr.hcl', 'source "tart-cli" "runner" {\n  vm_name = "tuist-runner"\n}\n');
      const packer = homebrewOf(mac.mac).formulae.get('packer');
      if (packer) packer.version = '1.99.0';
      await mac.run(`${PREFIX}/bin/brew upgrade`);
      return bakeForADay(scene, mac);
    },
  },
  {
    id: 'I27',
    title: 'config.sh fails, and its command line with the token is published',
    did: 'passed the token as an argument; the failing script was quoted whole in an event',
    seen: new RegExp(TOKEN),
    async run(scene) {
      const mac = await host(scene, 'another token');
      return eventOf(CONFIGURE, await mac.run(CONFIGURE));
    },
  },
];

/** Starts the bake where the runner would, in the session at the screen, and gives it a day. */
async function bakeForADay(scene: Scene, mac: SceneMac): Promise<string> {
  const stop = new AbortController();
  let over = false;
  const bake = mac
    .start(`${PACKER} build /Users/m1/runner.pkr.hcl`, { session: 'aqua', signal: stop.signal })
    .finally(() => {
      over = true;
    });
  await scene.around.clock.advance(seconds(24 * 3_600));
  const verdict = over ? 'it ended' : 'it still waits after a day';
  stop.abort();
  return `${(await bake).out}\n${verdict}`;
}
