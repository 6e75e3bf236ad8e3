import { type Clock, type Duration, milliseconds } from '@minifleet/clock';
import { type AgentClient, connectAgent } from '../agent-client/agent-client.ts';
import type { ProcessHandle } from './guest-process.ts';
import type { Vm } from './vm.ts';

interface StopVmOptions {
  readonly vm: Vm;
  readonly orders: StopOrders;
  readonly controlSocket: string;
  /** Undefined before the guest has booted. */
  readonly agent: AgentClient | undefined;
  /** Undefined without a process, and after its end. */
  readonly process: ProcessHandle | undefined;
}

/**
 * Stops the VM within the stop deadlines: terminates the process, shuts the guest down, cuts the power, kills. Returns
 * when it is gone.
 */
export async function stopVm({ vm, orders, controlSocket, agent, process }: StopVmOptions): Promise<void> {
  if (agent && process) {
    process.terminate();
    await orders.settledBefore('cut', Promise.race([process.exited, vm.ended]));
  }
  if (agent) await orders.settledBefore('cut', Promise.race([vm.ended, shutDownRefused(agent, controlSocket)]));
  vm.signal('SIGINT');
  if (await orders.settledBefore('kill', vm.ended)) return;
  vm.signal('SIGKILL');
  await vm.ended;
}

const SHUT_DOWN = ['/usr/bin/sudo', '-n', '/sbin/shutdown', '-h', 'now'] as const;
const ANSWER_WITHIN = 2_000;

/**
 * Requests a shutdown of the guest; resolves only if the guest refuses. A connection that breaks afterwards is no
 * refusal: a shutdown ends the agent long before the disks are written.
 */
async function shutDownRefused(known: AgentClient, controlSocket: string): Promise<void> {
  const agent = known.closed ? await connectAgent(controlSocket, AbortSignal.timeout(ANSWER_WITHIN)) : known;
  const session = agent.exec({ argv: SHUT_DOWN, interactive: false });
  session.stdout.resume();
  session.stderr.resume();
  const code = await session.exited.catch(() => 0);
  if (code === 0) await new Promise<never>(() => undefined);
}

/**
 * Deadlines for stopping a guest. Each order starts its own timers and the earliest counts, so a deadline can only come
 * closer. Independent of clock changes.
 */
export interface StopOrders {
  /** Resolves with the first order. */
  readonly first: Promise<void>;
  readonly given: boolean;
  order(grace: Duration): void;
  /** True if the promise settled before the mark. */
  settledBefore(mark: 'cut' | 'kill', promise: Promise<unknown>): Promise<boolean>;
}

interface StopMarks {
  /** Until then, the guest may shut down on its own; then the power is cut. */
  readonly cut: Duration;
  /** After this time, `tart run` is killed. */
  readonly kill: Duration;
}

const RESERVE = 0.2;
const MAX_RESERVE = 5_000;
/** Time for the power cut even without a grace period; kubelet uses two seconds as well. */
const MIN_KILL = 2_000;

/** Reserves a fifth of the grace period, at most five seconds, for the power cut; the process gets the rest. */
export const stopMarks = (grace: Duration): StopMarks => ({
  cut: milliseconds(grace - Math.min(grace * RESERVE, MAX_RESERVE)),
  kill: milliseconds(Math.max(grace, MIN_KILL)),
});

export function createStopOrders(clock: Clock): StopOrders {
  const first = Promise.withResolvers<void>();
  const marks = { cut: Promise.withResolvers<void>(), kill: Promise.withResolvers<void>() };
  let given = false;
  return {
    first: first.promise,
    get given() {
      return given;
    },
    order(grace) {
      given = true;
      first.resolve();
      const { cut, kill } = stopMarks(grace);
      clock.after(cut, () => marks.cut.resolve());
      clock.after(kill, () => marks.kill.resolve());
    },
    settledBefore(mark, promise) {
      const settled = promise.then(
        () => true,
        () => true,
      );
      return Promise.race([settled, marks[mark].promise.then(() => false)]);
    },
  };
}
