import { type Clock, type Duration, milliseconds } from '@minifleet/clock';
import { type AgentClient, connectAgent } from '../agent-client/agent-client.ts';
import type { RunningProcess } from './guest-process.ts';
import type { Vm } from './vm.ts';

interface BringDownOptions {
  readonly vm: Vm;
  readonly orders: StopOrders;
  readonly controlSocket: string;
  /** Undefined before the guest has booted: then there is nobody to ask. */
  readonly agent: AgentClient | undefined;
  /** Undefined when there is none, or it has ended. */
  readonly process: RunningProcess | undefined;
}

/** Ends the VM within the time of the orders: asks the process, asks the guest, cuts the power, kills. Returns when it is gone. */
export async function bringDown({ vm, orders, controlSocket, agent, process }: BringDownOptions): Promise<void> {
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
 * Asks the guest to shut down; resolves only when it will not. A connection that breaks afterwards is no refusal: a shutdown
 * ends the agent long before it has written its disks.
 */
async function shutDownRefused(known: AgentClient, controlSocket: string): Promise<void> {
  const agent = known.closed ? await connectAgent(controlSocket, AbortSignal.timeout(ANSWER_WITHIN)) : known;
  const session = agent.exec({ argv: SHUT_DOWN, interactive: false });
  session.stdout.resume();
  session.stderr.resume();
  const code = await session.exited.catch(() => 0);
  if (code === 0) await new Promise<never>(() => undefined);
}

/** When a guest has to be gone. Each order runs its own timers and the earliest counts, so an order may come nearer and never go away; a clock that jumps changes nothing. */
export interface StopOrders {
  /** Resolves with the first order. */
  readonly first: Promise<void>;
  readonly given: boolean;
  order(grace: Duration): void;
  /** True when the promise settled before the mark. */
  settledBefore(mark: 'cut' | 'kill', promise: Promise<unknown>): Promise<boolean>;
}

interface StopMarks {
  /** For so long the guest is asked; then the power is cut. */
  readonly cut: Duration;
  /** Then `tart run` is killed. */
  readonly kill: Duration;
}

const RESERVE = 0.2;
const MOST_RESERVE = 5_000;
/** Time to cut the power even without any grace, as a kubelet takes two seconds for it. */
const LEAST = 2_000;

/** A fifth of the grace, at most five seconds, is kept for the power cut: the process has all the rest. */
export const stopMarks = (grace: Duration): StopMarks => ({
  cut: milliseconds(grace - Math.min(grace * RESERVE, MOST_RESERVE)),
  kill: milliseconds(Math.max(grace, LEAST)),
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
