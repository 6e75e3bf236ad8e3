import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, milliseconds, seconds } from '@minifleet/clock';
import { createDurably, type OnDurableWrite, writeUntilItFits } from '../../durable/write-durably.ts';
import { shutDownExit, unknownExit } from '../exits.ts';
import type { GuestExit } from '../guest.ts';
import { RECORD, RUN, readRecord, SOCKET, VM_PID, writeExit } from '../record.ts';
import { stateWithScreen } from './published-state.ts';
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
  const byHost = orderAtShutDown(options, orders);
  const exits = exitRecord(options, exit => (byHost() ? shutDownExit(exit) : exit));
  const { environment, logBytes, onDurableWrite } = options;
  // At once: an agent that finds us dead has to find what we started. A full disk is no reason to end a guest that runs.
  const onVm = (vm: number): void => {
    const write = async (): Promise<void> => writeFileSync(join(directory, VM_PID), `${vm}\n`);
    void writeUntilItFits({ directory, clock, write });
  };
  const run = { record: record.value, clock, environment, orders, logBytes, onVm, onExit: exits.keep };
  const told = stateWithScreen({ directory, clock, onDurableWrite, publish: state => socket.publish(state) });
  const tellers = { onState: told.become, onScreen: told.serve };
  const exit = await runGuest({ ...run, ...tellers }).catch(async (error: Error) => {
    const unknown = unknownExit(clock.now(), `supervisor ${pid} failed: ${error.message}`);
    await exits.keep(unknown);
    return unknown;
  });
  told.become({ phase: 'exited', exit: exits.kept ?? exit });
  await exits.written();
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

/** Whether it is the host that ends the guest: then nobody had asked for its end before. */
function orderAtShutDown({ signal }: SuperviseOptions, orders: StopOrders): () => boolean {
  let byHost = false;
  signal?.addEventListener('abort', () => {
    byHost = !orders.given;
    orders.order(HOST_GRACE);
  });
  return () => byHost;
}

interface ExitRecord {
  /** As it was written: what is told must be the same. */
  readonly kept: GuestExit | undefined;
  /** Resolves after the first try: on a full disk the agent is told all the same, because only the removal of guests makes room. */
  readonly keep: (exit: GuestExit) => Promise<void>;
  /** Until then this process is the record. */
  readonly written: () => Promise<unknown>;
}

function exitRecord(
  { directory, clock, onDurableWrite }: SuperviseOptions,
  judge: (exit: GuestExit) => GuestExit,
): ExitRecord {
  let written: Promise<unknown> = Promise.resolve();
  let kept: GuestExit | undefined;
  return {
    get kept() {
      return kept;
    },
    async keep(seen) {
      const exit = judge(seen);
      kept = exit;
      const first = Promise.withResolvers<void>();
      const write = (): Promise<void> => writeExit(directory, exit, { onDurableWrite });
      written = writeUntilItFits({ directory, clock, write, onFirstTry: first.resolve });
      await first.promise;
    },
    written: () => written,
  };
}
