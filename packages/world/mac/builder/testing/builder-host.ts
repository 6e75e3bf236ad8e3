import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { milliseconds, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type ExampleGithub, exampleGithub } from '../../../github/testing/example-github.ts';
import { type Registry, startRegistry } from '../../../registry/start-registry.ts';
import { runnerForge } from '../../../runner-forge.ts';
import { makeWorldDeps } from '../../../tart/testing/make-world-deps.ts';
import { clickAllow } from '../../local-network/local-network.ts';
import { encodePassword } from '../../login-window/kcpassword.ts';
import { m1, root } from '../../mac.ts';
import { macParts } from '../../mac-parts.ts';
import { tartBinary, tartPart } from '../../tart/tart-part.ts';
import { plist } from '../../testing/plist.ts';
import { createTestMac, PASSWORD, type TestMac } from '../../testing/test-mac.ts';
import { brew, homebrewOf, installHomebrew, PREFIX, pour } from '../brew.ts';
import { builderOf } from '../image-builder.ts';

import { unpackRunner } from '../runner-state.ts';

export interface BuilderHost extends TestMac {
  readonly github: ExampleGithub['github'];
  readonly registry: Registry;
  /** Faults of the registry only; its clock is this machine's. */
  readonly registryFaults: ReturnType<typeof makeWorldDeps>['faults'];
  /** Advances the Mac's clock until the condition holds. Real processes take real time. */
  readonly passTime: (until: () => boolean | Promise<boolean>) => Promise<void>;
}

const HOME = '/opt/actions-runner';
const PATH = `${PREFIX}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;
const AGENT = '/Users/m1/Library/LaunchAgents/actions.runner.acme.mini-01.plist';

/**
 * Returns a builder in the state a bootstrap leaves: a user logged in at the screen, Tart, Packer with its grant, an
 * online runner.
 */
export async function builderHost(t: TestContext): Promise<BuilderHost> {
  const directory = mkdtempSync(join(tmpdir(), 'builder-'));
  const around = makeWorldDeps();
  const registry = await startRegistry({ deps: around });
  const tart = tartPart(directory, { registries: { 'ghcr.io': registry.url }, speed: 50 });
  const small = createTestMac({ parts: [...macParts, tart] });
  t.after(async () => {
    small.mac.shutDown();
    await registry.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  const { github } = await exampleGithub(t, { clock: small.clock });
  builderOf(small.mac).forge = runnerForge(github);
  const passTime = async (until: () => boolean | Promise<boolean>): Promise<void> => {
    // A step of the clock costs little, so the time between two steps stays short.
    await eventually(
      async () => {
        await small.clock.advance(seconds(1));
        return until();
      },
      { interval: milliseconds(10) },
    );
  };
  const host = { ...small, github, registry, registryFaults: around.faults, passTime };
  await logIn(host);
  installPrograms(host);
  await startRunner(host);
  return host;
}

async function logIn({ mac, run, clock }: BuilderHost): Promise<void> {
  mac.files.write(root, '/etc/kcpassword', encodePassword(PASSWORD), { mode: 0o600 });
  mac.files.write(root, '/Library/Preferences/com.apple.loginwindow.plist', plist({ autoLoginUser: 'm1' }));
  await run('launchctl kickstart -k system/com.apple.loginwindow', { user: root });
  await clock.advance(seconds(10));
}

function installPrograms({ mac }: BuilderHost): void {
  mac.files.makeDirectory(root, '/usr/local/bin', { parents: true });
  mac.files.write(root, '/usr/local/bin/tart', tartBinary(), { mode: 0o755 });
  installHomebrew(mac, brew);
  const packer = homebrewOf(mac).formulae.get('packer');
  assert.ok(packer);
  pour(mac, packer);
  clickAllow(mac, `${PREFIX}/bin/packer`);
}

async function startRunner({ mac, run, github, passTime }: BuilderHost): Promise<void> {
  mac.files.makeDirectory(root, HOME, { parents: true });
  mac.files.chown(root, HOME, m1.uid, m1.gid);
  unpackRunner(mac, HOME, m1);
  const scope = github.state.accounts.findScope('acme');
  assert.ok(scope);
  const { token } = github.state.tokens.mint({ kind: 'registration', scope });
  const url = 'https://github.com/acme';
  const config = `./config.sh --url ${url} --token ${token} --name mini-01 --labels vm-image-builder --unattended`;
  const configured = run(`cd ${HOME} && ${config} && ./svc.sh install m1`, { environment: { PATH } });
  let over = false;
  void configured.then(() => (over = true));
  await passTime(() => over);
  await run(`launchctl bootstrap gui/501 ${AGENT}`, { user: root });
  await passTime(() => github.state.runners.all.some(runner => runner.online));
}
