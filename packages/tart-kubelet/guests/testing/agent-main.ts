/**
 * An agent with one guest, as a process that can be killed: recovers, starts what has not run, reports its exit once, and
 * removes it. What it reported is in a file, as the API server would have it.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { GuestSpec } from '../guest.ts';
import { createGuests } from '../guests.ts';
import { agentOptions, exited, type Simulated } from './agent-options.ts';

export interface AgentTask {
  readonly simulated: Simulated;
  readonly state: string;
  readonly spec: GuestSpec;
  /** `before record.json`, `after clone`, `during clone`, `state running`, `reported`: where this process kills itself. */
  readonly killAt: string | undefined;
  /** The guest is stopped in this phase instead of running to its end. */
  readonly stopIn?: 'creating' | 'running' | undefined;
}

const { simulated, state, spec, killAt, stopIn } = JSON.parse(process.argv[2] ?? '') as AgentTask;
const die = (): void => void process.kill(process.pid, 'SIGKILL');
const reach = (point: string): void => {
  if (point === killAt) die();
};

const guests = createGuests({
  ...agentOptions(simulated, state, (moment, [command]) => {
    reach(`${moment} ${command}`);
    if (moment === 'before' && killAt === `during ${command}`) setTimeout(die, 300);
  }),
  onDurableWrite: (moment, file) => reach(`${moment} ${file}`),
});
guests.onChange(guest => reach(`state ${guest.state.phase}`));

const reports = join(state, 'reported');
await guests.recover();
const reported = existsSync(reports) && readFileSync(reports, 'utf8') !== '';
if (!reported) {
  await bringToItsEnd();
  const exit = await exited(guests, spec);
  appendFileSync(reports, `${exit.exitCode} ${exit.reason}\n`);
}
reach('reported');
await guests.remove(spec.id);
process.exit(0);

async function bringToItsEnd(): Promise<void> {
  const phase = guests.find(spec.id)?.state.phase;
  const fresh = phase === undefined || phase === 'creating';
  const started = fresh ? guests.start(spec) : Promise.resolve();
  if (stopIn !== 'creating') await started;
  else started.catch(() => undefined);
  if (stopIn === undefined) return;
  // Its process has to have begun, or there is nothing to stop.
  const [share] = spec.shares;
  if (stopIn === 'running') await eventually(() => share && existsSync(join(share.path, 'runs')));
  const stopped = guests.stop(spec.id, seconds(5));
  reach('stopping');
  await stopped;
}
