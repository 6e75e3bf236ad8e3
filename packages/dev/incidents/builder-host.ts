/** The operators' builder host, for the original procedures in builders.ts. */
import { seconds } from '@minifleet/clock';
import { builderOf, encodePassword, m1, root } from '@minifleet/world/mac';
import { unpackRunner } from '@minifleet/world/testing';
import type { MacShell, OldWayEnv } from './old-way-env.ts';

export const RUNNER_HOME = '/opt/actions-runner';
/** A canary: its text is searched for in logs and events. */
export const TOKEN = 'AAREGTOKENCANARY';

export const CONFIGURE = `cd ${RUNNER_HOME}
./config.sh --url https://github.com/acme --token ${TOKEN} --name mini-01 --labels vm-image-builder --work _work --unattended --replace`;

/** Opens a host with an Aqua session and the unpacked archive of the runner. */
export async function openBuilder(env: OldWayEnv, acceptedToken: string): Promise<MacShell> {
  const shell = await env.mac();
  const { mac } = shell;
  shell.write('/etc/kcpassword', encodePassword(shell.password), 0o600);
  await shell.run(`sudo defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1
sudo launchctl kickstart -k system/com.apple.loginwindow`);
  await shell.pass(10);
  mac.files.makeDirectory(root, RUNNER_HOME, { parents: true });
  mac.files.chown(root, RUNNER_HOME, m1.uid, m1.gid);
  unpackRunner(mac, RUNNER_HOME, m1);
  builderOf(mac).forge = {
    register: async ({ token }) => (token === acceptedToken ? { id: 7 } : { status: 404, message: 'Not Found' }),
    unregister: async () => undefined,
    online: () => undefined,
    offline: () => undefined,
  };
  return shell;
}

/** The event that the operators' controller emitted for a failed step: the whole script, and standard error. */
export const eventOf = (script: string, { code, err }: { readonly code: number; readonly err: string }): string =>
  `Warning BootstrapFailed: run "${script}": exit status ${code}: ${err}`;

/** Starts a bake in the Aqua session, as the runner does, and lets a day pass. */
export async function bakeForADay(env: OldWayEnv, mac: MacShell, packer: string): Promise<string> {
  const stop = new AbortController();
  let ended = false;
  const bake = mac
    .start(`${packer} build /Users/m1/runner.pkr.hcl`, { session: 'aqua', signal: stop.signal })
    .finally(() => {
      ended = true;
    });
  await env.surroundings.clock.advance(seconds(24 * 3_600));
  const state = ended ? 'ended' : 'still waiting after a day';
  stop.abort();
  return `${(await bake).out}\n${state}`;
}
