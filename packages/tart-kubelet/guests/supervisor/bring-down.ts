import { type AgentClient, connectAgent } from '../agent-client/agent-client.ts';
import type { RunningProcess } from './guest-process.ts';
import type { StopOrders } from './stop-orders.ts';
import type { Vm } from './vm.ts';

export interface BringDownOptions {
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
