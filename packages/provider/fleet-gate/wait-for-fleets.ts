import { type InfraMachine, machineKinds } from '@minifleet/api';
import { type Clock, formatDuration, pause, seconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { type Client, type Condition, findCondition } from '@minifleet/kube';
import { type MachineDeployment, machineDeployments } from '../cluster-api/kinds.ts';
import { fleetOf } from '../observe/machine-phase.ts';
import type { GateFlags } from './run-gate.ts';

const FLEETS_NOT_AVAILABLE = defineError('FLEETS_NOT_AVAILABLE', {
  retry: 'operator',
  reason: 'FleetsNotAvailable',
  text: '{fleets} not Available after {timeout}, for the reasons above; run minifleet explain fleet/{first} -n {namespace}. The installation continues in the background',
});

interface GateDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly output: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

// Polled at low frequency, so that a short outage of the API server does no harm.
const POLL_INTERVAL = seconds(3);

/** Returns when all fleets are Available; meanwhile prints what each Mac waits for, whenever it changes. */
export async function waitForFleets(flags: GateFlags, around: GateDeps): Promise<void> {
  const { clock, signal } = around;
  const end = clock.now() + flags.timeout;
  const tell = printChanges(around.output);
  for (;;) {
    const looked = await checkFleets(flags, around);
    tell(looked.lines);
    if (looked.missing.length === 0) return;
    if (clock.now() >= end) {
      // Printed again, so that the end of a long log shows the cause.
      around.output.write(`\n${looked.lines.join('\n')}\n`);
      throw tooLate(flags, looked.missing);
    }
    await pause(clock, POLL_INTERVAL, signal);
    signal.throwIfAborted();
  }
}

interface FleetCheck {
  /** Fleets that are not known to be Available. */
  readonly missing: readonly string[];
  readonly lines: readonly string[];
}

/** An unavailable API server is reported like a fleet that is not Available. */
async function checkFleets({ namespace, fleets }: GateFlags, { client, signal }: GateDeps): Promise<FleetCheck> {
  try {
    const [deployments, ...machines] = await Promise.all([
      client.list(machineDeployments, { namespace, signal }),
      ...machineKinds.map(({ resource }) => client.list(resource, { namespace, signal })),
    ]);
    const seen: FleetObjects = { deployments: deployments.items, machines: machines.flatMap(({ items }) => items) };
    const standings = fleets.map(fleet => fleetStatusOf(fleet, seen));
    const missing = standings.filter(({ available }) => !available).map(({ fleet }) => fleet);
    return { missing, lines: standings.flatMap(linesOf) };
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    return { missing: fleets, lines: [`the fleets cannot be read: ${why}`] };
  }
}

/** An Available fleet is printed without its Macs. */
const linesOf = ({ fleet, available, words, macs }: FleetStatus): string[] => [
  `${fleet}: ${words}`,
  ...(available ? [] : macs.map(({ name, why }) => `  ${name}: ${why}`)),
];

/** Prints lines that changed since the last check, ignoring details, because Helm prints the whole log at once. */
function printChanges(output: GateDeps['output']): (lines: readonly string[]) => void {
  let before: readonly string[] = [];
  return lines => {
    for (const line of lines.filter(each => !before.includes(gistOf(each)))) output.write(`${line}\n`);
    before = lines.map(gistOf);
  };
}

/** `mac-a: HostBootstrapped BootstrapRunning`: Mac, condition and reason. */
const gistOf = (line: string): string => line.split(': ').slice(0, 2).join(': ');

const tooLate = ({ timeout, namespace }: GateFlags, missing: readonly string[]): Error => {
  const fleets = missing.length === 1 ? `fleet ${missing[0]} is` : `fleets ${missing.join(', ')} are`;
  return FLEETS_NOT_AVAILABLE({ timeout: formatDuration(timeout), fleets, first: missing[0] ?? '', namespace });
};

/** Status of one fleet, for the output of the gate. */
interface FleetStatus {
  readonly fleet: string;
  readonly available: boolean;
  readonly words: string;
  /** Macs that are not Ready, each with the reason. */
  readonly macs: readonly { readonly name: string; readonly why: string }[];
}

interface FleetObjects {
  readonly deployments: readonly MachineDeployment[];
  readonly machines: readonly InfraMachine[];
}

function fleetStatusOf(fleet: string, { deployments, machines }: FleetObjects): FleetStatus {
  const deployment = deployments.find(({ metadata }) => metadata.name === fleet);
  if (!deployment) return { fleet, available: false, words: 'the MachineDeployment does not exist', macs: [] };
  const available = isCurrent(deployment, findCondition(deployment, 'Available'));
  const { spec, status } = deployment;
  const count = `${status?.availableReplicas ?? 0} of ${spec.replicas ?? 1} Macs`;
  const macs = machines.filter(each => fleetOf(each) === fleet && findCondition(each, 'Ready')?.status !== 'True');
  return {
    fleet,
    available,
    words: available ? `Available, ${count}` : `not Available, ${count}`,
    macs: macs.map(each => ({ name: each.metadata.name, why: whyNotReady(each) })),
  };
}

/** A condition of an earlier generation does not count. */
function isCurrent({ metadata, status }: MachineDeployment, available: Condition | undefined): boolean {
  const { generation = 0 } = metadata;
  const seen = Math.min(status?.observedGeneration ?? generation, available?.observedGeneration ?? generation);
  return available?.status === 'True' && seen >= generation;
}

function whyNotReady(machine: InfraMachine): string {
  const ready = findCondition(machine, 'Ready');
  if (!ready) return 'no status yet; check that the provider is running';
  return ready.message || ready.reason;
}
