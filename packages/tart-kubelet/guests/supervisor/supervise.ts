import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, milliseconds, seconds } from '@minifleet/clock';
import { createDurably, type OnDurableWrite, retryWrite } from '../../durable/write-durably.ts';
import { shutDownExit, unknownExit } from '../exits.ts';
import type { GuestExit } from '../guest.ts';
import { RECORD, RUN, readRecord, SOCKET, VM_PID, writeExit } from '../record.ts';
import { createStatePublisher } from './published-state.ts';
import { runGuest } from './run-guest.ts';
import { createStopOrders, type StopOrders } from './stop-orders.ts';
import { openSupervisorSocket, type SupervisorSocket } from './supervisor-socket.ts';

export interface SuperviseOptions {
  /** The guest's folder. Must be the working directory, because a socket path is limited to 104 bytes. */
  readonly directory: string;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** Aborted when the host shuts down: the guest is then shut down as well. */
  readonly signal?: AbortSignal;
  readonly logBytes?: number;
  readonly onDurableWrite?: OnDurableWrite;
  /** `ready`: accepts connections. `taken`: another supervisor has, or had, this guest. */
  onReady(word: 'ready' | 'taken'): void;
}

/** Grace period of the guest when the host shuts down; launchd kills twenty seconds after SIGTERM. */
const HOST_GRACE = seconds(15);

/**
 * `tart-kubelet supervise <directory>`: owns one VM from its start to its exit record, regardless of the agent. A guest
 * runs at most once: the claim is a file that only one process can create, and it stays.
 */
export async function supervise(options: SuperviseOptions): Promise<void> {
  const { directory, clock, pid } = options;
  const record = await readRecord(directory);
  if (record.found !== 'whole') throw new Error(`guest record ${join(directory, RECORD)}: ${record.found}`);
  const orders = createStopOrders(clock);
  const socket = await claim(options, orders);
  options.onReady(socket ? 'ready' : 'taken');
  if (!socket) return;
  const byHost = orderAtShutDown(options, orders);
  const exits = exitRecord(options, exit => (byHost() ? shutDownExit(exit) : exit));
  const { environment, logBytes, onDurableWrite } = options;
  // Written immediately: an agent that finds this supervisor dead must find the VM. A full disk is no reason to end a
  // running guest.
  const onVm = (vm: number): void => {
    const write = async (): Promise<void> => writeFileSync(join(directory, VM_PID), `${vm}\n`);
    void retryWrite({ directory, clock, write });
  };
  const run = { record: record.value, clock, environment, orders, logBytes, onVm, onExit: exits.keep };
  const publisher = createStatePublisher({ directory, clock, onDurableWrite, publish: state => socket.publish(state) });
  const callbacks = { onState: publisher.setState, onScreen: publisher.setScreen };
  const exit = await runGuest({ ...run, ...callbacks }).catch(async (error: Error) => {
    const unknown = unknownExit(clock.now(), `supervisor ${pid} failed: ${error.message}`);
    await exits.keep(unknown);
    return unknown;
  });
  publisher.setState({ phase: 'exited', exit: exits.kept ?? exit });
  await exits.written();
  await socket.close();
}

/**
 * Opens the socket before claiming the run, so that a process that finds the claim can reach its owner; only the claim
 * decides.
 */
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

/** True if the host shutdown ends the guest, that is, if no stop was requested before. */
function orderAtShutDown({ signal }: SuperviseOptions, orders: StopOrders): () => boolean {
  let byHost = false;
  signal?.addEventListener('abort', () => {
    byHost = !orders.given;
    orders.order(HOST_GRACE);
  });
  return () => byHost;
}

interface ExitRecord {
  /** The exit as written, so that the published one is the same. */
  readonly kept: GuestExit | undefined;
  /**
   * Resolves after the first write attempt: on a full disk the agent is informed anyway, because only removing guests
   * frees space.
   */
  readonly keep: (exit: GuestExit) => Promise<void>;
  /** Resolves when the exit is on disk; until then this process holds it. */
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
    async keep(judged) {
      const exit = judge(judged);
      kept = exit;
      const first = Promise.withResolvers<void>();
      const write = (): Promise<void> => writeExit(directory, exit, { onDurableWrite });
      written = retryWrite({ directory, clock, write, onFirstTry: first.resolve });
      await first.promise;
    },
    written: () => written,
  };
}
