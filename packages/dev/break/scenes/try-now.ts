import { machines } from '@minifleet/cli/cluster';
import { pause, seconds, timestamp } from '@minifleet/clock';
import type { Stage } from '../stage.ts';
import { unlessGone } from './unless-gone.ts';

const FOR = seconds(30);
const EVERY = seconds(2);

/** Has a step tried now that waits for a quarter of an hour, though what it waits for was mended: nobody here waits so long. */
export async function tryNow(stage: Stage, step: string): Promise<void> {
  const { clock } = stage;
  const end = clock.now() + FOR;
  const look = async (): Promise<void> => {
    await wake(stage, timestamp(clock.now()));
    await pause(clock, EVERY);
  };
  do {
    // Before: until it has seen the end of its last run as it wrote it, it writes the same again.
    await look();
    if (!(await makeDue(stage, step))) break;
    await look();
  } while (clock.now() < end);
  await wake(stage, null);
}

/** A machine is not looked at because of its status; any other change will do, and is taken back. */
async function wake({ client, name, namespace }: Stage, value: string | null): Promise<void> {
  const body = { metadata: { annotations: { 'minifleet.dev/break': value } } };
  await client.patch(machines, { namespace, name }, { type: 'merge', body }).catch(unlessGone);
}

/** False when the step does not wait. */
async function makeDue({ client, clock, name, namespace, machine }: Stage, step: string): Promise<boolean> {
  const steps = (await machine())?.status?.steps ?? [];
  const index = steps.findIndex(entry => entry.name === step && entry.state === 'Waiting');
  if (index < 0) return false;
  const path = `/status/steps/${index}`;
  const body = [
    { op: 'test', path: `${path}/name`, value: step },
    { op: 'add', path: `${path}/nextAttemptTime`, value: timestamp(clock.now()) },
  ] as const;
  await client
    .patch(machines, { namespace, name }, { type: 'json', body }, { subresource: 'status' })
    .catch(unlessGone);
  return true;
}
