import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { StartedTart } from '@minifleet/world/testing/tart';
import type { GuestSpec } from './guest.ts';
import { guestName } from './guest-name.ts';
import { isSupervisorOf, killProcesses, listProcesses } from './process-table.ts';
import { guestDirectory } from './record.ts';
import type { AgentTask } from './testing/agent-main.ts';
import { type GuestsBench, makeGuestsBench } from './testing/guests-bench.ts';
import { isTartRunOf } from './testing/is-tart-run.ts';

/** One row: who is killed and where, and what must be known and true after the next agent's work. */
interface Row {
  readonly name: string;
  readonly agent?: string;
  readonly supervisor?: string;
  /** Kills something else while the guest runs. */
  readonly kill?: (bench: Kill) => Promise<void>;
  readonly exit?: string;
  /** Number of runs of the Pod's process. */
  readonly runs?: 0 | 1;
  readonly slowClone?: boolean;
  readonly stopIn?: AgentTask['stopIn'];
  readonly lockLies?: boolean;
}

interface Kill {
  readonly spec: GuestSpec;
  readonly state: string;
}

const killTartRun = ({ spec }: Kill): Promise<void> => killProcesses(isTartRunOf(guestName(spec.id)), systemClock);
const killSupervisor = ({ spec, state }: Kill): Promise<void> =>
  killProcesses(isSupervisorOf(guestDirectory(state, spec.id)), systemClock);
const killAgent = ({ spec }: Kill): Promise<void> =>
  killProcesses(({ command }) => command.includes('agent-main.ts') && command.includes(spec.id.uid), systemClock);

const UNKNOWN = '137 ContainerStatusUnknown';

const rows: readonly Row[] = [
  ...['before record.json', 'after record.json', 'before clone', 'after clone', 'before set', 'after set'],
  ...['state creating', 'state starting', 'state running', 'state exited', 'reported', 'before delete', 'after delete'],
].map(agent => ({ name: `the agent ${agent}`, agent }));

const STOPPED_EARLY = { stopIn: 'creating', slowClone: true, exit: '137 Killed', runs: 0 } as const;

const otherRows: readonly Row[] = [
  { name: 'the agent during clone, whose clone goes on', agent: 'during clone', slowClone: true },
  { name: 'the agent that has ordered a stop', agent: 'stopping', stopIn: 'running', exit: '143 Error' },
  { ...STOPPED_EARLY, name: 'the agent before the exit record of a guest it never started', agent: 'before exit.json' },
  { ...STOPPED_EARLY, name: 'the agent after the exit record of a guest it never started', agent: 'after exit.json' },
  { name: 'the supervisor before its claim', supervisor: 'before run.json' },
  { name: 'the supervisor after its claim', supervisor: 'after run.json', exit: UNKNOWN, runs: 0 },
  { name: 'the supervisor before its exit record', supervisor: 'before exit.json', exit: UNKNOWN },
  { name: 'the supervisor after its exit record', supervisor: 'after exit.json' },
  { name: 'the supervisor while the guest runs', kill: killSupervisor, exit: UNKNOWN },
  { name: 'the supervisor while Tart does not see the lock', kill: killSupervisor, exit: UNKNOWN, lockLies: true },
  { name: 'tart run while the guest runs', kill: killTartRun, exit: '137 Killed' },
  {
    name: 'agent and supervisor at once',
    exit: UNKNOWN,
    async kill(all) {
      await killAgent(all);
      await killSupervisor(all);
    },
  },
  {
    name: 'agent, supervisor and tart run at once',
    exit: UNKNOWN,
    async kill(all) {
      await killAgent(all);
      await killSupervisor(all);
      await killTartRun(all);
    },
  },
  {
    name: 'the agent, and then tart run before the next agent',
    exit: '137 Killed',
    async kill(all) {
      await killAgent(all);
      await killTartRun(all);
    },
  },
];

let bench: GuestsBench;
let builder: StartedTart;
const cleaning: (() => Promise<void>)[] = [];

before(async () => {
  bench = await makeGuestsBench({ after: clean => void cleaning.push(clean) });
  await bench.foreign('builder');
  builder = bench.simulated.start(['run', 'builder', '--no-graphics']);
});

after(async () => {
  for (const clean of cleaning) await clean();
});

for (const row of [...rows, ...otherRows]) {
  test(`I38 kill -9 of ${row.name}: no exit is lost, nothing runs twice, no VM is leaked or touched`, async () => {
    const state = join(bench.state, row.name.replaceAll(/\W/g, '-').slice(0, 30));
    const share = join(state, 'out');
    mkdirSync(share, { recursive: true });
    const spec = specOf(row, share);
    prepareHost(row, spec);
    const task = {
      simulated: { path: bench.simulated.path, home: bench.simulated.home },
      state,
      spec,
      stopIn: row.stopIn,
    };
    const first = startAgent({ ...task, killAt: row.agent }, row.supervisor);
    if (row.kill) {
      await eventually(() => existsSync(join(share, 'runs')));
      await row.kill({ spec, state });
    }
    await first;
    await startAgent({ ...task, killAt: undefined }, undefined);
    check(row, state);
    await checkHost(spec);
  });
}

const specOf = (row: Row, share: string): GuestSpec =>
  bench.spec({
    process: {
      // A guest that is to be killed in its run waits for that.
      argv: [
        '/bin/sh',
        '-c',
        `echo ran >> "/Volumes/My Shared Files/out/runs"; ${row.kill || row.stopIn ? 'exec sleep 600' : 'sleep 0.2'}; exit 5`,
      ],
      environmentFile: undefined,
      workingDirectory: undefined,
    },
    shares: [{ name: 'out', path: share, readOnly: false }],
  });

function prepareHost(row: Row, spec: GuestSpec): void {
  const name = guestName(spec.id);
  const slow = {
    kind: 'command',
    matches: `clone golden ${name}`,
    times: 1,
    fault: { type: 'delay', seconds: 100 },
  } as const;
  bench.simulated.change({ faults: row.slowClone ? [slow] : [], lockLies: row.lockLies ? [name] : [] });
}

const agentMain = fileURLToPath(new URL('./testing/agent-main.ts', import.meta.url));

function startAgent(task: AgentTask, killSupervisorAt: string | undefined): Promise<void> {
  const env = { ...process.env, ...(killSupervisorAt === undefined ? {} : { KILL_SUPERVISOR_AT: killSupervisorAt }) };
  const child = spawn(process.execPath, [agentMain, JSON.stringify(task)], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let words = '';
  child.stderr.on('data', data => {
    words += String(data);
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => {
      // An agent that is not killed must finish, unless its supervisor was killed.
      const expected =
        task.killAt !== undefined || killSupervisorAt !== undefined || code === 0 || signal === 'SIGKILL';
      if (expected) resolve();
      else reject(new Error(words));
    });
  });
}

function check(row: Row, state: string): void {
  const reported = readFileSync(join(state, 'reported'), 'utf8');
  assert.equal(reported, `${row.exit ?? '5 Error'}\n`);
  const ran = existsSync(join(state, 'out', 'runs')) ? readFileSync(join(state, 'out', 'runs'), 'utf8') : '';
  assert.equal(ran, 'ran\n'.repeat(row.runs ?? 1));
}

async function checkHost(spec: GuestSpec): Promise<void> {
  const vms = await bench.simulated.call(['list', '--source', 'local', '--quiet']);
  assert.equal(vms.stdout, 'builder\ngolden\n');
  assert.equal(existsSync(join(bench.simulated.home, 'vms', guestName(spec.id))), false);
  assert.equal(builder.process.exitCode, null, 'the foreign VM was stopped');
  // A process that was killed may be listed for a moment more.
  await eventually(async () => !(await listProcesses()).some(({ command }) => command.includes(spec.id.uid)));
}
