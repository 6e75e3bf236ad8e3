import { localNetwork, type PlannedStep, Secret } from '@minifleet/host';
import { type ActionsRunnerSettings, actionsRunner, buildCache, builderTools, planStep } from '@minifleet/host/testing';
import { isConditionTrue } from '@minifleet/kube';
import { defaultFleetFile } from '@minifleet/spec-file';
import { builderOf, homebrewOf, m1 } from '@minifleet/world/mac';
import { brew, clickAllow, HOMEBREW_PREFIX, installHomebrew } from '@minifleet/world/testing';
import { bakeForADay, CONFIGURE, eventOf, openBuilder, RUNNER_HOME, TOKEN } from './builder-host.ts';
import type { FaultTarget } from './fault-target.ts';
import { hostFailure } from './fixtures/host-condition.ts';
import { runAsUser } from './fixtures/host-user.ts';
import { awaitPrecondition, orRevert, requireEffect } from './fixtures/preconditions.ts';
import { retryStep } from './fixtures/retry-step.ts';
import { type Incident, REPAIRED_WITHIN } from './incident.ts';
import {
  convergeAll,
  countLeaks,
  describeFinding,
  findDifferences,
  journalSince,
  type OurWayEnv,
} from './our-way-env.ts';

const LABEL = 'actions.runner.acme.mini-01';
const BREW = `${HOMEBREW_PREFIX}/bin/brew`;
const PACKER = `${HOMEBREW_PREFIX}/bin/packer`;
const NEWER = '1.99.0';
const NEWEST = '1.100.0';
const CACHE_VOLUME = '/Volumes/tuist-runner-cache';
const CACHE = defaultFleetFile().builder.buildCache.directory;
const WRITE_TO_CACHE = `sudo -u m1 touch ${CACHE}/warm`;

/** The archive of the operators' runner. The host has it already, so it is never opened. */
const archive = {
  name: 'actions-runner-osx-arm64-2.330.0.tar.gz',
  sha256: 'a'.repeat(64),
  open: (): AsyncIterable<Uint8Array> => {
    throw new Error('an archive that the host has is not sent');
  },
};

const runnerSpec = (token: Secret | undefined): ActionsRunnerSettings => ({
  url: 'https://github.com/acme',
  name: 'mini-01',
  labels: ['vm-image-builder'],
  version: '2.330.0',
  archive,
  token,
  user: 'm1',
});

const packerStep = (version: string): PlannedStep =>
  planStep(builderTools, { formulae: [{ name: 'hashicorp/tap/packer', version, pinned: true }] });

/** Repeats the original procedure on a host whose record names the archive of its runner. */
async function repeatWithRecord(env: OurWayEnv): Promise<void> {
  await env.oldWay();
  env.mac.write(`${RUNNER_HOME}/.archive`, `2.330.0 ${archive.sha256}\n`);
}

/** Reboots the host and logs the user in at the screen. */
async function reboot({ mac }: OurWayEnv): Promise<void> {
  await mac.run('sudo shutdown -r now && sleep 60');
  await mac.run('sudo launchctl kickstart -k system/com.apple.loginwindow && sleep 10');
}

/** Runs a bake in the Aqua session, in a bounded time. */
async function bake({ mac }: OurWayEnv): Promise<string> {
  const { out, code } = await mac.run(`sudo launchctl asuser 501 sudo -u m1 ${PACKER} build /Users/m1/runner.pkr.hcl`);
  return out.includes('Connected to SSH!') && code === 0 ? 'a bake connects' : 'a bake does not connect';
}

/** The launchd job of the runner. */
const runnerJob = ({ name, world }: FaultTarget): string =>
  `gui/${m1.uid}/actions.runner.${world.githubApp.organization}.${name}`;

const isOnline = ({ name, world }: FaultTarget): boolean =>
  world.github.state.runners.all.some(runner => runner.name === name && runner.online);

async function isRunnerRunning(target: FaultTarget): Promise<boolean> {
  const { out } = await target.run(`launchctl print ${runnerJob(target)}`);
  return out.includes('state = running');
}

async function isReportedOnline({ machine }: FaultTarget): Promise<boolean> {
  const found = await machine();
  return found !== undefined && isConditionTrue(found, 'BuilderRunnerOnline');
}

/** Lets GitHub reject every registration, as it does for an expired token. */
function rejectRegistrations(target: FaultTarget): { readonly tokens: Set<string>; readonly restore: () => void } {
  const builder = builderOf(target.mac());
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
    restore() {
      builder.forge = forge;
    },
  };
}

/** Reads everything that may be public: objects and events of the cluster, and the journal of the Mac with its command lines. */
async function readTraces({ kubectl, world, mac }: FaultTarget): Promise<readonly string[]> {
  const objects = await kubectl('get', 'events,samm,machines,nodes', '-A', '-o', 'json');
  const { items } = JSON.parse(objects) as { readonly items: readonly unknown[] };
  const place = `mac/${mac().options.name}`;
  const entries = world.deps.journal.entries.filter(entry => entry.place === place);
  return [...items, ...entries].map(entry => JSON.stringify(entry));
}

/** Incidents with hosts that bake images. */
export const builderIncidents: readonly Incident[] = [
  {
    id: 'I24',
    title: 'the runner’s service script is run over SSH',
    oldWay: {
      procedure: 'ran svc.sh install and svc.sh start in an SSH session',
      symptom: /Failed: failed to load/,
      async run(env) {
        const mac = await openBuilder(env, TOKEN);
        await mac.run(CONFIGURE);
        const { err } = await mac.run(`cd ${RUNNER_HOME} && ./svc.sh install m1 && ./svc.sh start`);
        return err;
      },
    },
    ourWay: {
      expected: 'the LaunchAgent is loaded with launchctl bootstrap gui/<uid>',
      procedure: 'loaded the LaunchAgent into the Aqua session through launchd',
      result: new RegExp(
        `^found: .*launchd has no job for the runner; then converged; gui/501/${LABEL}: state = running$`,
      ),
      async run(env) {
        await repeatWithRecord(env);
        // Without a token: the existing registration is valid and stays.
        const step = planStep(actionsRunner, runnerSpec(undefined));
        const found = await findDifferences(env, step);
        const outcome = await convergeAll(env, step);
        const { out } = await env.mac.run(`sudo launchctl print gui/501/${LABEL}`);
        return `found: ${found}; then ${outcome}; gui/501/${LABEL}: ${/state = .*/.exec(out)?.[0] ?? 'unknown'}`;
      },
    },
    live: {
      fault: 'an operator installs the runner with its service script over SSH',
      fleets: ['builders'],
      expected: 'launchd has the runner in the Aqua session again, and it is online at GitHub',
      within: REPAIRED_WITHIN,
      async inject(target) {
        await target.run(
          `launchctl bootout ${runnerJob(target)}; rm -f /Users/m1/Library/LaunchAgents/actions.runner.*`,
        );
        await awaitPrecondition(target, 'its runner to go offline at GitHub', async () => !isOnline(target));
        const { err } = await runAsUser(target, `cd ${RUNNER_HOME} && ./svc.sh install m1; ./svc.sh start`);
        requireEffect(target, 'I24', /Failed: failed to load/, err);
        return {
          action:
            'removed the LaunchAgent of the runner, then ran svc.sh install and svc.sh start, which failed to load it',
          async check() {
            const back = isOnline(target) && (await isRunnerRunning(target)) && (await isReportedOnline(target));
            return back && (await target.isReady())
              ? { repaired: `${runnerJob(target)} runs and is online` }
              : undefined;
          },
        };
      },
    },
  },
  {
    id: 'I26',
    title: 'brew upgrades Packer, and its Local Network grant is gone',
    oldWay: {
      procedure: 'upgraded everything with brew before a bake; the grant belonged to the previous binary',
      symptom: /Waiting for SSH to become available\.\.\..*still waiting after a day/s,
      async run(env) {
        const mac = await openBuilder(env, TOKEN);
        installHomebrew(mac.mac, brew);
        await mac.run(`${BREW} tap hashicorp/tap && ${BREW} install hashicorp/tap/packer`);
        clickAllow(mac.mac, PACKER);
        mac.write('/Users/m1/runner.pkr.hcl', 'source "tart-cli" "runner" {\n  vm_name = "tuist-runner"\n}\n');
        const packer = homebrewOf(mac.mac).formulae.get('packer');
        if (packer) packer.version = NEWER;
        await mac.run(`${BREW} upgrade`);
        return bakeForADay(env, mac, PACKER);
      },
    },
    ourWay: {
      expected: 'the version is pinned, drift is found, the allow-list is in force, and the wait is bounded',
      procedure:
        'pinned the program, found the next replacement and pinned that one, and put the allow-list in force by a reboot',
      result:
        /^after a brew upgrade: packer 1\.99\.0; found: packer 1\.99\.0 was replaced by 1\.100\.0, which has no Local Network permission.*; pinned: packer; a bake connects$/,
      async run(env) {
        await env.oldWay();
        await env.converge(packerStep('1.14.2'));
        const packer = homebrewOf(env.mac.mac).formulae.get('packer');
        if (packer) packer.version = NEWEST;
        const upgraded = await env.mac.run(`${BREW} upgrade; ${BREW} list --versions packer`);
        await env.mac.run(`${BREW} unpin packer && ${BREW} upgrade`);
        const found = await findDifferences(env, packerStep('1.14.2'));
        await env.converge(packerStep('1.14.2'));
        await env.converge(planStep(localNetwork, { addresses: ['192.168.0.0/16'] }));
        await reboot(env);
        const { out } = await env.mac.run(`${BREW} list --pinned`);
        return `after a brew upgrade: ${upgraded.out.trim()}; found: ${found}; pinned: ${out.trim()}; ${await bake(env)}`;
      },
    },
    live: {
      fleets: ['builders'],
      expected: 'the replaced program is reported as drift, and it is pinned again',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const packer = homebrewOf(target.mac()).formulae.get('packer');
        const offered = packer?.version;
        const restore = async (): Promise<void> => {
          if (packer && offered) packer.version = offered;
        };
        if (packer) packer.version = NEWER;
        const { out } = await runAsUser(
          target,
          `${BREW} unpin packer; ${BREW} upgrade >&2; ${BREW} list --versions packer`,
        );
        await orRevert(restore, async () => requireEffect(target, 'I26', new RegExp(NEWER), out));
        return {
          action: `unpinned Packer and upgraded everything with brew: ${out.trim()}`,
          async check() {
            const pinned = await runAsUser(target, `${BREW} list --pinned`);
            return pinned.out.trim() === 'packer' && (await target.isReady())
              ? { repaired: `packer ${NEWER} is pinned` }
              : undefined;
          },
          cleanUp: restore,
        };
      },
    },
  },
  {
    id: 'I27',
    title: 'config.sh fails, and its command line with the token is published',
    oldWay: {
      procedure: 'passed the token as an argument; an event quoted the whole failing script',
      symptom: new RegExp(TOKEN),
      async run(env) {
        const mac = await openBuilder(env, 'another token');
        return eventOf(CONFIGURE, await mac.run(CONFIGURE));
      },
    },
    ourWay: {
      expected: 'the token is passed on standard input, and the canary finds no trace of it',
      procedure: 'passed the token on standard input, with the same failure',
      result: /^HOST_RUNNER_REGISTRATION_FAILED: .*404 \(Not Found\).*; the token is in 0 of [1-9]\d* traces$/,
      async run(env) {
        await repeatWithRecord(env);
        const before = env.journal().length;
        const outcome = await convergeAll(
          env,
          planStep(actionsRunner, runnerSpec(new Secret('registration token', TOKEN))),
        );
        return `${outcome}; the token is in ${countLeaks(TOKEN, [outcome, ...journalSince(env, before)])}`;
      },
    },
    live: {
      fault: 'config.sh fails with a token',
      fleets: ['builders'],
      expected: 'the machine reports the failed registration, and the token appears nowhere',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const { tokens, restore } = rejectRegistrations(target);
        const cleanUp = async (): Promise<void> => {
          restore();
          await retryStep(target, 'actions-runner');
        };
        target.world.github.deleteRunner(target.name);
        await target.run(`launchctl kickstart -k ${runnerJob(target)}`);
        await orRevert(cleanUp, () =>
          awaitPrecondition(target, 'its runner to go offline at GitHub', async () => !isOnline(target)),
        );
        return {
          action: 'deleted its runner at GitHub, which now rejects every registration',
          async check() {
            const failure = await hostFailure(target);
            if (tokens.size === 0 || !failure?.includes('rejected the registration of runner')) return undefined;
            const traces = await readTraces(target);
            const leaks = traces.filter(trace => [...tokens].some(token => trace.includes(token)));
            if (leaks.length > 0) throw new Error(`a token of ${target.name} is public: ${leaks[0]?.slice(0, 200)}`);
            return { reported: `${failure}; none of ${tokens.size} tokens is in any of ${traces.length} traces` };
          },
          cleanUp,
        };
      },
    },
  },
  {
    id: 'F03',
    title: 'every build is cold because the cache volume belongs to root',
    oldWay: {
      procedure: 'created the cache volume and did not change its owner',
      symptom: /Permission denied|permission denied/,
      async run(env) {
        const mac = await env.mac();
        await mac.run(
          `sudo diskutil apfs addVolume disk3 APFS tuist-runner-cache -quota 80GiB && sudo diskutil enableOwnership ${CACHE_VOLUME}`,
        );
        const { err } = await mac.run(`touch ${CACHE_VOLUME}/warm`);
        return err || 'the cache is writable';
      },
    },
    ourWay: {
      expected: 'the cache belongs to the account that runs the jobs, and another owner is reported as drift',
      procedure: 'checked the owner of the folder and changed it to the account that runs the jobs',
      result: /^found: .*root:wheel.* expected Directory m1:staff.*; then current; a job can write to the cache$/,
      async run(env) {
        await env.oldWay();
        const step = planStep(buildCache, { directory: CACHE_VOLUME, variable: 'TUIST_MIX_BUILD_ROOT', owner: 'm1' });
        const { before, after } = await env.converge(step);
        const { code } = await env.mac.run(`touch ${CACHE_VOLUME}/warm`);
        const writes = code === 0 ? 'can' : 'cannot';
        return `found: ${describeFinding(before)}; then ${after.state}; a job ${writes} write to the cache`;
      },
    },
    live: {
      fault: 'every build is cold because the cache belongs to root',
      fleets: ['builders'],
      expected: 'the cache belongs to the account that runs the jobs again',
      within: REPAIRED_WITHIN,
      async inject(target) {
        // The owner of a volume that was just mounted there.
        const { err } = await target.run(`chown root:wheel ${CACHE}; ${WRITE_TO_CACHE}`);
        requireEffect(target, 'F03', /[Pp]ermission denied/, err);
        return {
          action: `changed the owner of ${CACHE} to root`,
          async check() {
            const { code } = await target.run(`${WRITE_TO_CACHE} && rm ${CACHE}/warm`);
            return code === 0 && (await target.isReady()) ? { repaired: 'a job can write to the cache' } : undefined;
          },
        };
      },
    },
  },
];
