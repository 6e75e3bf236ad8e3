import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, milliseconds, pause, seconds } from '@minifleet/clock';
import { exists } from '../../durable/exists.ts';
import { createDurably, type OnDurableWrite } from '../../durable/write-durably.ts';
import { unknownExit } from '../exits.ts';
import type { GuestExit } from '../guest.ts';
import { RECORD, RUN, readRecord, SOCKET, VM_PID, writeExit } from '../record.ts';
import { runGuest } from './run-guest.ts';
import { createStopOrders, type StopOrders } from './stop-orders.ts';
import { openSupervisorSocket, type SupervisorSocket } from './supervisor-socket.ts';

export interface SuperviseOptions {
  /** The guest's folder. It has to be the working directory, because a socket's path holds 104 bytes. */
  readonly directory: string;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** Aborted when the host shuts down: the guest is then shut down as well. */
  readonly signal?: AbortSignal;
  readonly logBytes?: number;
  readonly onDurableWrite?: OnDurableWrite;
  /** `ready`: connect to it. `taken`: another supervisor has, or had, this guest. */
  onReady(word: 'ready' | 'taken'): void;
}

/** Time for the guest when the whole host goes down; launchd kills twenty seconds after it asked. */
const HOST_GRACE = seconds(15);
const AGAIN = seconds(1);

/**
 * `tart-kubelet supervise <directory>`: owns one VM from its start to its exit record, whatever becomes of the agent. A guest
 * is run once at most: the claim is a file that only one can create, and it stays.
 */
export async function supervise(options: SuperviseOptions): Promise<void> {
  const { directory, clock, pid } = options;
  const record = await readRecord(directory);
  if (record.found !== 'whole') throw new Error(`${join(directory, RECORD)} is ${record.found}`);
  const orders = createStopOrders(clock);
  const socket = await claim(options, orders);
  options.onReady(socket ? 'ready' : 'taken');
  if (!socket) return;
  options.signal?.addEventListener('abort', () => orders.order(HOST_GRACE));
  let written: Promise<void> = Promise.resolve();
  const keep = async (exit: GuestExit): Promise<void> => {
    const first = Promise.withResolvers<void>();
    written = keepExit({ ...options, exit, onFirstTry: first.resolve });
    await first.promise;
  };
  const { environment, logBytes } = options;
  // At once: an agent that finds us dead has to find what we started.
  const onVm = (vm: number): void => writeFileSync(join(directory, VM_PID), `${vm}\n`);
  const run = { record: record.value, clock, environment, orders, logBytes, onVm, onExit: keep };
  const exit = await runGuest({ ...run, onState: state => socket.publish(state) }).catch(async (error: Error) => {
    const unknown = unknownExit(clock.now(), `supervisor ${pid} failed: ${error.message}`);
    await keep(unknown);
    return unknown;
  });
  socket.publish({ phase: 'exited', exit });
  await written;
  await socket.close();
}

/** The socket first, so that whoever finds the claim finds its owner; the claim is what counts. */
async function claim(options: SuperviseOptions, orders: StopOrders): Promise<SupervisorSocket | undefined> {
  const { directory, clock, pid, onDurableWrite } = options;
  const since = clock.now();
  const socket = await openSupervisorSocket({
    path: SOCKET,
    pid,
    state: { phase: 'starting', since },
    onStop: within => orders.order(milliseconds(within)),
  });
  if (!socket) return undefined;
  const text = `${JSON.stringify({ pid, since })}\n`;
  if (await createDurably(join(directory, RUN), text, { onDurableWrite })) return socket;
  await socket.close();
  return undefined;
}

interface Keeping extends SuperviseOptions {
  readonly exit: GuestExit;
  readonly onFirstTry: () => void;
}

/**
 * Writes the exit record. On a full disk it is tried until it fits, and meanwhile this process is the record: the agent is
 * told all the same, because only the removal of guests makes room.
 */
async function keepExit({ directory, clock, exit, onDurableWrite, onFirstTry }: Keeping): Promise<void> {
  for (;;) {
    const kept = await writeExit(directory, exit, { onDurableWrite }).then(
      () => true,
      () => false,
    );
    onFirstTry();
    if (kept || !(await exists(directory))) return;
    await pause(clock, AGAIN);
  }
}
