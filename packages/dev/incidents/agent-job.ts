import { AGENT_LABEL, type PlannedStep } from '@minifleet/host';
import { agentArtifact, agentBinary, agentJob, agentWant, planStep, slotFor } from '@minifleet/host/testing';
import { machO, root } from '@minifleet/world/mac';
import { plist } from '@minifleet/world/testing';
import { FLEETS } from '../up/fleets/share-hosts.ts';
import { AGENT, AGENT_PLIST, findServingAgent, RELOAD, readAgentJob, UNTIL_UNLOADED } from './fixtures/agent-job.ts';
import { requireEffect } from './fixtures/preconditions.ts';
import { type Incident, REPAIRED_WITHIN } from './incident.ts';
import type { MacEnv, MacShell } from './old-way-env.ts';
import { convergeAll, findDifferences, type OurWayEnv } from './our-way-env.ts';

const BINARY = '/usr/local/bin/tart-kubelet';
const FLAG = '--disable-vm-gc';
const ROLLOUTS = 12;

const jobPlist = (...flags: readonly string[]): string =>
  plist({
    Label: AGENT_LABEL,
    ProgramArguments: [BINARY, ...flags],
    RunAtLoad: true,
    KeepAlive: true,
    ThrottleInterval: 10,
    UserName: 'm1',
  });

/** Opens a host whose agent runs, as an earlier bootstrap left it. */
async function openHost(env: MacEnv): Promise<MacShell> {
  const mac = await env.mac();
  await mac.run('sudo mkdir -p /usr/local/bin');
  mac.write(BINARY, machO('version 1'), 0o755);
  mac.write(AGENT_PLIST, jobPlist());
  await mac.run(`sudo launchctl bootstrap system ${AGENT_PLIST}`);
  await mac.pass(2);
  return mac;
}

async function printJob(mac: MacShell): Promise<string> {
  const { out, err } = await mac.run(`sudo launchctl print ${AGENT}`);
  const lines = out.split('\n').filter(line => /^\t(state|pid|last exit|runs)/.test(line));
  return lines.length > 0 ? lines.map(line => line.trim()).join(', ') : err.trim();
}

/** The steps of a plan that roll out one version of the agent: its program, then its job. */
export const agentSteps = (version: string): readonly PlannedStep[] => [
  planStep(agentBinary, { artifact: agentArtifact(version) }),
  planStep(agentJob, agentWant(version)),
];

const jobStep = (version: string): PlannedStep => planStep(agentJob, agentWant(version));

/** `running, pid 412`, or the error of launchd. */
async function describeJob({ mac }: OurWayEnv): Promise<string> {
  const { out, err } = await mac.run(`sudo launchctl print ${AGENT} || true`);
  const state = /^\tstate = (.*)$/m.exec(out)?.[1] ?? err.trim();
  const pid = /^\tpid = (\d+)$/m.exec(out)?.[1];
  return pid === undefined ? state : `${state}, pid ${pid}`;
}

const registrations = (env: OurWayEnv): number =>
  env.journal().filter(({ what }) => what === 'launchd bootstrap').length;

/** Rolls out many versions, ends the agent once, and reports whether launchd restarted it. */
async function restartAfterRollouts(env: OurWayEnv): Promise<string> {
  const earlier = registrations(env);
  await convergeAll(env, ...agentSteps('version 0'));
  const first = registrations(env);
  for (let rollout = 1; rollout <= ROLLOUTS; rollout++) await convergeAll(env, ...agentSteps(`version ${rollout}`));
  const added = registrations(env) - first;
  await env.mac.run('sudo killall -TERM tart-kubelet');
  await env.mac.run('sleep 300');
  return `the first start needs ${first - earlier} registration, ${ROLLOUTS} rollouts need ${added} more, and five minutes after the agent exited: ${await describeJob(env)}`;
}

const readInode = async ({ mac }: OurWayEnv): Promise<string> => (await mac.run(`stat -L -f %i ${BINARY}`)).out.trim();

/** Uses the count of macOS, because a concurrent repair registers the job, too. */
const ROLL_OUT_UNTIL_IGNORED = `rollouts=0
until sfltool dumpbtm | grep -B 1 'Name: ${AGENT_LABEL}' | grep -q '#1[1-9]:' || [ $rollouts -ge 20 ]; do
${RELOAD}
rollouts=$((rollouts + 1))
done
killall -TERM tart-kubelet
left=20
while launchctl print ${AGENT} | grep -q 'pid =' && [ $left -gt 0 ]; do sleep 0.5; left=$((left - 1)); done
launchctl print ${AGENT}`;

/** Incidents with the launchd job and the executable of the node agent. */
export const agentJobIncidents: readonly Incident[] = [
  {
    id: 'I17',
    title: 'every rollout runs bootout and bootstrap until macOS no longer restarts the agent',
    oldWay: {
      procedure: 'rolled out a dozen times with bootout and bootstrap, then the agent exited once',
      symptom: /state = (not running|exited)(?!.*pid)/,
      async run(env) {
        const mac = await openHost(env);
        for (let rollout = 0; rollout < ROLLOUTS; rollout++) {
          await mac.run(`sudo launchctl bootout ${AGENT}`);
          await mac.pass(5);
          await mac.run(`sudo launchctl bootstrap system ${AGENT_PLIST}`);
          await mac.pass(5);
        }
        await mac.run('sudo killall -TERM tart-kubelet');
        await mac.pass(300);
        return `five minutes after the agent exited: ${await printJob(mac)}`;
      },
    },
    ourWay: {
      expected:
        'unchanged plist: kickstart; changed plist: verified re-bootstrap; the agent is restarted after an exit',
      procedure:
        'rolled out a dozen versions by changing a link, with an unchanged property list, then the agent exited',
      result:
        /^found: .*Background Task Management no longer lets launchd restart it.*; then converged, running, pid \d+; on another Mac the first start needs 1 registration, 12 rollouts need 0 more, and five minutes after the agent exited: running, pid \d+$/,
      async run(env) {
        await env.oldWay();
        const found = await findDifferences(env, jobStep('version 1'));
        const outcome = await convergeAll(env, ...agentSteps('version 1'));
        const state = await describeJob(env);
        const fresh = await env.another();
        return `found: ${found}; then ${outcome}, ${state}; on another Mac ${await restartAfterRollouts(fresh)}`;
      },
    },
    live: {
      fleets: FLEETS,
      expected: 'the agent that launchd does not restart is started again',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const { out } = await target.run(ROLL_OUT_UNTIL_IGNORED);
        requireEffect(target, 'I17', /^\tstate = not running$/m, out);
        const since = target.clock.now();
        return {
          action: 'ran bootout and bootstrap until macOS stopped restarting the agent, then ended the agent',
          async check() {
            const job = await findServingAgent(target, since);
            return job && { repaired: `the agent runs again, pid ${job.pid}, although launchd did not restart it` };
          },
          // Otherwise the count of macOS would disturb the next fault on this host.
          cleanUp: async () => void (await target.run('sfltool resetbtm')),
        };
      },
    },
  },
  {
    id: 'I18',
    title: 'a rollout is recorded as done although the process never restarted',
    oldWay: {
      procedure:
        'ran bootout and bootstrap back to back and used the exit status of the shell as result of the rollout',
      symptom: /exit status 0.*(Could not find service|not running)/s,
      async run(env) {
        const mac = await openHost(env);
        mac.write(AGENT_PLIST, jobPlist(FLAG));
        const { code } = await mac.run(
          `sudo launchctl bootout ${AGENT}\nsudo launchctl bootstrap system ${AGENT_PLIST}\nexit 0`,
        );
        await mac.pass(60);
        return `rollout: exit status ${code}; a minute later: ${await printJob(mac)}`;
      },
    },
    ourWay: {
      expected: 'a rollout is recorded only with a new, stable process',
      procedure:
        'waited for a new process that keeps running; repeated the kickstart without one, and rolled back when that did not help',
      result:
        /^found: .*launchd has no job dev\.tuist\.tart-kubelet.*; then converged, running, pid (\d+); one ignored kickstart: converged, running, pid (?!\1;)(\d+); every kickstart ignored: HOST_AGENT_NOT_STABLE: .*was started before [\da-f]{16} became current\); it was rolled back to [\da-f]{16}, which is running.*; running, pid \2$/,
      async run(env) {
        await env.oldWay();
        const found = await findDifferences(env, jobStep('version 2'));
        const outcome = await convergeAll(env, ...agentSteps('version 2'));
        const first = await describeJob(env);
        env.ignoreKickstart(1);
        const second = await convergeAll(env, ...agentSteps('version 3'));
        const between = await describeJob(env);
        env.ignoreKickstart();
        const third = await convergeAll(env, ...agentSteps('version 4'));
        const rollouts = `one ignored kickstart: ${second}, ${between}; every kickstart ignored: ${third}; ${await describeJob(env)}`;
        return `found: ${found}; then ${outcome}, ${first}; ${rollouts}`;
      },
    },
    live: {
      fault: 'a rollout is recorded as done although the agent is unloaded',
      fleets: FLEETS,
      expected: 'launchd has the agent again, and it runs',
      within: REPAIRED_WITHIN,
      async inject(target) {
        // Back to back: launchd still unloads the job when it is loaded again.
        const { out, err } = await target.run(`launchctl bootout ${AGENT}
launchctl bootstrap system ${AGENT_PLIST}
${UNTIL_UNLOADED}
launchctl print ${AGENT}`);
        requireEffect(target, 'I18', /Could not find service/, `${out}${err}`);
        const since = target.clock.now();
        return {
          action: 'ran bootout and bootstrap back to back, as a rollout without a check',
          async check() {
            const job = await findServingAgent(target, since);
            return job && { repaired: `launchd has the agent again, and it runs, pid ${job.pid}` };
          },
        };
      },
    },
  },
  {
    id: 'I19',
    title: 'the agent’s binary is overwritten in place',
    oldWay: {
      procedure: 'piped the new binary into the old file with tee and restarted the job',
      symptom: /OS_REASON_CODESIGNING/,
      async run(env) {
        const mac = await openHost(env);
        await mac.run(`sudo tee ${BINARY} >/dev/null`, { stdin: machO('version 2') });
        await mac.run(`sudo launchctl kickstart -k ${AGENT}`);
        await mac.pass(5);
        return printJob(mac);
      },
    },
    ourWay: {
      expected: 'the binary is signed, has a new inode, and the old one is kept for a rollback',
      procedure: 'signed it in a temporary file, renamed it into a new slot, and kept the previous slot',
      result:
        /^converged, running, pid \d+; version 3: converged, running, pid \d+, another inode, [\da-f]{16} is kept$/,
      async run(env) {
        await env.oldWay();
        const first = await convergeAll(env, ...agentSteps('version 2'));
        const firstState = await describeJob(env);
        const before = await readInode(env);
        const second = await convergeAll(env, ...agentSteps('version 3'));
        const inode = before === (await readInode(env)) ? 'the same inode' : 'another inode';
        const { out } = await env.mac.run('readlink /usr/local/lib/tart-kubelet/previous');
        const kept = out.trim() === slotFor('version 2') ? `${out.trim()} is kept` : `previous is ${out.trim()}`;
        return `${first}, ${firstState}; version 3: ${second}, ${await describeJob(env)}, ${inode}, ${kept}`;
      },
    },
    live: {
      fleets: ['macos', 'runners'],
      expected: 'the agent is copied again to a new file, and runs',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const before = target.mac().files.read(root, BINARY);
        // As the operators copied it: the same file with other bytes.
        await target.run(`tee ${BINARY} >/dev/null`, machO('another program'));
        await target.run(`launchctl kickstart -k ${AGENT}`);
        return {
          action: `overwrote ${BINARY} with other bytes and restarted the agent`,
          async check() {
            const restored = target.mac().files.read(root, BINARY).equals(before);
            return restored && (await target.isReady())
              ? { repaired: 'the original binary is restored, and the agent runs' }
              : undefined;
          },
        };
      },
    },
  },
  {
    id: 'I29',
    title: 'the agent loses a flag in a rollout',
    live: {
      fault: 'a builder’s agent loses a flag in a rollout, and would delete the VM of a bake',
      fleets: ['builders'],
      expected: 'the agent runs with the flag again',
      within: REPAIRED_WITHIN,
      async inject(target) {
        await target.run(`sed -i '' '/${FLAG}/d' ${AGENT_PLIST}\n${RELOAD}`);
        const { output } = await readAgentJob(target);
        requireEffect(target, 'I29', new RegExp(`^(?!.*${FLAG}).*--node-name=`, 's'), output);
        const since = target.clock.now();
        return {
          action: `rolled out the agent with a property list without ${FLAG}`,
          async check() {
            const job = await findServingAgent(target, since);
            return job?.output.includes(FLAG)
              ? { repaired: `the agent runs with ${FLAG} again, pid ${job.pid}` }
              : undefined;
          },
        };
      },
    },
  },
];
