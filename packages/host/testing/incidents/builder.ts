import { Secret } from '@minifleet/secret';
import { type PlannedStep, wanted } from '../../engine/step.ts';
import { type ActionsRunner, actionsRunner } from '../../steps/actions-runner/actions-runner.ts';
import { builderTools } from '../../steps/builder-tools/builder-tools.ts';
import { localNetwork } from '../../steps/local-network/local-network.ts';
import type { OurScene, OurWay } from './our-way.ts';
import { differencesOf, outcomeOf } from './words-of.ts';

const CANARY = 'AAREGTOKENCANARY';
const LABEL = 'actions.runner.acme.mini-01';

/** The archive the operators' runner was unpacked from: it is there, so nobody ever opens it. */
const archive = {
  name: 'actions-runner-osx-arm64-2.330.0.tar.gz',
  sha256: 'a'.repeat(64),
  open: (): AsyncIterable<Uint8Array> => {
    throw new Error('what the host has is not sent');
  },
};

const runner = (token: Secret | undefined): ActionsRunner => ({
  url: 'https://github.com/acme',
  name: 'mini-01',
  labels: ['vm-image-builder'],
  version: '2.330.0',
  archive,
  token,
  user: 'm1',
});

const packer = (version: string): PlannedStep =>
  wanted(builderTools, { formulae: [{ name: 'hashicorp/tap/packer', version, pinned: true }] });

const allowList = wanted(localNetwork, { addresses: ['192.168.0.0/16'] });

/** Done the old way, on a host whose record says which archive its runner came from. */
async function hurt(scene: OurScene, id: string): Promise<void> {
  await scene.oldWay(id);
  scene.mac.write('/opt/actions-runner/.archive', `2.330.0 ${archive.sha256}\n`);
}

/** Boots the host, and has somebody logged in at its screen again. */
async function reboot({ mac }: OurScene): Promise<void> {
  await mac.run('sudo shutdown -r now && sleep 60');
  await mac.run('sudo launchctl kickstart -k system/com.apple.loginwindow && sleep 10');
}

/** What the last line of a bake in the session at the screen says, where it is not left to wait for ever. */
async function bake({ mac }: OurScene): Promise<string> {
  const { out, code } = await mac.run(
    'sudo launchctl asuser 501 sudo -u m1 /opt/homebrew/bin/packer build /Users/m1/runner.pkr.hcl',
  );
  return out.includes('Connected to SSH!') && code === 0 ? 'a bake connects' : 'a bake does not connect';
}

/** What the builder's incidents come to, done our way. */
export const builderOurWay: readonly OurWay[] = [
  {
    id: 'I24',
    title: 'the runner’s own service script over SSH',
    row: 'launchctl bootstrap gui/<uid>',
    did: 'had launchd load the LaunchAgent into the session at the screen',
    seen: new RegExp(`^found: .*its job is not known to launchd; then converged; gui/501/${LABEL}: state = running$`),
    async run(scene) {
      await hurt(scene, 'I24');
      // No token: the registration they made is a good one and stays.
      const step = wanted(actionsRunner, runner(undefined));
      const found = await differencesOf(scene, step);
      const outcome = await outcomeOf(scene, step);
      const { out } = await scene.mac.run(`sudo launchctl print gui/501/${LABEL}`);
      return `found: ${found}; then ${outcome}; gui/501/${LABEL}: ${/state = .*/.exec(out)?.[0] ?? 'unknown'}`;
    },
  },
  {
    id: 'I26',
    title: 'brew upgrades Packer, and its Local Network grant is gone',
    row: 'pinned, drift seen, allow-list in force, wait bounded with the cause',
    did: 'found the replaced program, pinned the version that is offered, put the allow-list in force by a reboot',
    seen: /^found: packer 1\.14\.2 was replaced by 1\.99\.0, its Local Network grant is gone.*; HOST_FORMULA_UNAVAILABLE: .*; pinned: packer; a bake connects$/,
    async run(scene) {
      await scene.oldWay('I26');
      const found = await differencesOf(scene, packer('1.14.2'));
      const refused = await outcomeOf(scene, packer('1.14.2'));
      await scene.converge(packer('1.99.0'));
      await scene.converge(allowList);
      await reboot(scene);
      const { out } = await scene.mac.run('/opt/homebrew/bin/brew list --pinned');
      return `found: ${found}; ${refused}; pinned: ${out.trim()}; ${await bake(scene)}`;
    },
  },
  {
    id: 'I27',
    title: 'config.sh fails, and its command line with the token is published',
    row: 'token by stdin; canary finds nothing',
    did: 'gave the token on standard input, with the same failure',
    seen: /^HOST_RUNNER_REGISTRATION_FAILED: .*404 \(Not Found\).*; the token is in 0 of [1-9]\d* traces$/,
    async run(scene) {
      await hurt(scene, 'I27');
      const before = scene.happened().length;
      const said = await outcomeOf(scene, wanted(actionsRunner, runner(new Secret('registration token', CANARY))));
      const traces = [
        said,
        ...scene
          .happened()
          .slice(before)
          .map(({ what, detail }) => `${what} ${detail}`),
      ];
      const leaks = traces.filter(trace => trace.includes(CANARY)).length;
      return `${said}; the token is in ${leaks} of ${traces.length} traces`;
    },
  },
];
