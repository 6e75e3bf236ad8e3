import { isConditionTrue } from '@minifleet/kube';
import { builderOf, homebrewOf } from '@minifleet/world/mac';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { asUser } from '../scenes/as-user.ts';
import { awaitScene } from '../scenes/await-scene.ts';
import { isOnline, RUNNER_HOME, runnerJob, runnerListens } from '../scenes/builder-runner.ts';
import { requireHurt } from '../scenes/old-way.ts';
import { orPutBack } from '../scenes/or-put-back.ts';
import { toldOfHost } from '../scenes/told.ts';
import { tryNow } from '../scenes/try-now.ts';
import type { Stage } from '../stage.ts';

const BREW = '/opt/homebrew/bin/brew';
const NEWER = '1.99.0';

/** What happened to hosts that bake images. */
export const builderBreakages: readonly Breakage[] = [
  {
    id: 'I24',
    title: 'somebody sets the runner up with its own service script, over SSH',
    fleets: ['builders'],
    promise: 'launchd has the runner in the session at the screen again, and GitHub sees it',
    within: HEALED_WITHIN,
    async strike(stage) {
      await stage.run(`launchctl bootout ${runnerJob(stage)}; rm -f /Users/m1/Library/LaunchAgents/actions.runner.*`);
      await awaitScene(stage, 'GitHub sees its runner go', async () => !isOnline(stage));
      const { err } = await asUser(stage, `cd ${RUNNER_HOME} && ./svc.sh install m1; ./svc.sh start`);
      requireHurt(stage, { id: 'I24', seen: /Failed: failed to load/ }, err);
      return {
        did: 'removed the runner’s LaunchAgent, then ran svc.sh install and svc.sh start, which failed to load it',
        async look() {
          const back = isOnline(stage) && (await runnerListens(stage)) && (await runnerSeen(stage));
          return back && (await stage.isWell()) ? { healed: `${runnerJob(stage)} runs, and is online` } : undefined;
        },
      };
    },
  },
  {
    id: 'I26',
    title: 'brew upgrades Packer, and its Local Network grant is gone',
    fleets: ['builders'],
    promise: 'the machine names the replaced program and what to do, as the tap has the wanted one no more',
    within: HEALED_WITHIN,
    async strike(stage) {
      const packer = homebrewOf(stage.mac()).formulae.get('packer');
      const offered = packer?.version;
      const putBack = async (): Promise<void> => {
        if (packer && offered) packer.version = offered;
      };
      if (packer) packer.version = NEWER;
      const { out } = await asUser(stage, `${BREW} unpin packer; ${BREW} upgrade >&2; ${BREW} list --versions packer`);
      await orPutBack(putBack, async () => requireHurt(stage, { id: 'I26', seen: new RegExp(NEWER) }, out));
      return {
        did: `unpinned Packer and upgraded everything with brew: ${out.trim()}`,
        async look() {
          const told = await toldOfHost(stage);
          return told?.includes(`want ${NEWER} instead`) ? { named: told } : undefined;
        },
        async tidy() {
          await putBack();
          await tryNow(stage, 'builder-tools');
        },
      };
    },
  },
  {
    id: 'I27',
    title: 'config.sh fails, with a token in its hands',
    fleets: ['builders'],
    promise: 'the machine says that the registration failed, and the token stands nowhere',
    within: HEALED_WITHIN,
    async strike(stage) {
      const { tokens, answerAgain } = refuseRegistrations(stage);
      const tidy = async (): Promise<void> => {
        answerAgain();
        await tryNow(stage, 'actions-runner');
      };
      stage.world.github.deleteRunner(stage.name);
      await stage.run(`launchctl kickstart -k ${runnerJob(stage)}`);
      await orPutBack(tidy, () => awaitScene(stage, 'GitHub sees its runner go', async () => !isOnline(stage)));
      return {
        did: 'deleted its runner at GitHub, which registers none any more',
        async look() {
          const told = await toldOfHost(stage);
          if (tokens.size === 0 || !told?.includes('does not register the runner')) return undefined;
          const traces = await everythingSaid(stage);
          const leaked = traces.filter(trace => [...tokens].some(token => trace.includes(token)));
          if (leaked.length > 0) throw new Error(`a token of ${stage.name} is public: ${leaked[0]?.slice(0, 200)}`);
          return { named: `${told}; none of ${tokens.size} tokens is in any of ${traces.length} traces` };
        },
        tidy,
      };
    },
  },
];

async function runnerSeen({ machine }: Stage): Promise<boolean> {
  const samm = await machine();
  return samm !== undefined && isConditionTrue(samm, 'BuilderRunnerOnline');
}

/** As GitHub answers `config.sh` when the token has expired. */
function refuseRegistrations(stage: Stage): { readonly tokens: Set<string>; readonly answerAgain: () => void } {
  const builder = builderOf(stage.mac());
  const { forge } = builder;
  const tokens = new Set<string>();
  if (forge)
    builder.forge = {
      ...forge,
      async register({ token }) {
        tokens.add(token);
        return { status: 404, message: 'Not Found' };
      },
    };
  return {
    tokens,
    answerAgain() {
      builder.forge = forge;
    },
  };
}

/** Whatever somebody may read: objects and events of the cluster, and what the Mac did, command lines included. */
async function everythingSaid({ kubectl, world, mac }: Stage): Promise<readonly string[]> {
  const objects = await kubectl('get', 'events,samm,machines,nodes', '-A', '-o', 'json');
  const { items } = JSON.parse(objects) as { readonly items: readonly unknown[] };
  const place = `mac/${mac().options.name}`;
  const deeds = world.around.journal.entries.filter(entry => entry.place === place);
  return [...items, ...deeds].map(entry => JSON.stringify(entry));
}
