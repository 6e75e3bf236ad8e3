import { type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { type Clock, formatDuration, pause, seconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import type { Client, Resource } from '@minifleet/kube';
import { machineDeployments } from '../cluster-api/kinds.ts';
import { type FleetObjects, type FleetStatus, fleetStatusOf } from './fleet-status.ts';
import type { GateFlags } from './gate-flags.ts';

export const FLEETS_NOT_AVAILABLE = defineError('FLEETS_NOT_AVAILABLE', {
  retry: 'operator',
  reason: 'FleetsNotAvailable',
  text: '{fleets} not Available after {timeout}, for the reasons above; run minifleet explain fleet/{first} -n {namespace}. The installation continues in the background',
});

export interface GateDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly output: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

// Seldom enough for a cluster to bear, and by asking anew nothing is lost when its API server is away for a moment.
const POLL_INTERVAL = seconds(3);
const machines: Resource<ScalewayAppleSiliconMachine> = scalewayAppleSiliconMachine.resource;

/** Returns when every fleet is Available, and tells meanwhile what each Mac waits for, whenever that is something else. */
export async function waitForFleets(flags: GateFlags, around: GateDeps): Promise<void> {
  const { clock, signal } = around;
  const end = clock.now() + flags.timeout;
  const tell = printChanges(around.output);
  for (;;) {
    const looked = await checkFleets(flags, around);
    tell(looked.lines);
    if (looked.missing.length === 0) return;
    if (clock.now() >= end) {
      // Once more: whoever reads the end of a long log sees what holds it up.
      around.output.write(`\n${looked.lines.join('\n')}\n`);
      throw tooLate(flags, looked.missing);
    }
    await pause(clock, POLL_INTERVAL, signal);
    signal.throwIfAborted();
  }
}

interface FleetCheck {
  /** Fleets that are not Available, as far as is known. */
  readonly missing: readonly string[];
  readonly lines: readonly string[];
}

/** An API server that cannot be asked is one more thing that is waited for. */
async function checkFleets({ namespace, fleets }: GateFlags, { client, signal }: GateDeps): Promise<FleetCheck> {
  try {
    const [deployments, macs] = await Promise.all([
      client.list(machineDeployments, { namespace, signal }),
      client.list(machines, { namespace, signal }),
    ]);
    const seen: FleetObjects = { deployments: deployments.items, machines: macs.items };
    const standings = fleets.map(fleet => fleetStatusOf(fleet, seen));
    const missing = standings.filter(({ available }) => !available).map(({ fleet }) => fleet);
    return { missing, lines: standings.flatMap(linesOf) };
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    return { missing: fleets, lines: [`the fleets cannot be read: ${why}`] };
  }
}

/** Of a fleet that is Available nobody asks what its last Mac waits for. */
const linesOf = ({ fleet, available, words, macs }: FleetStatus): string[] => [
  `${fleet}: ${words}`,
  ...(available ? [] : macs.map(({ name, why }) => `  ${name}: ${why}`)),
];

/** Each line when it is another than at the last look, but for details: Helm shows the whole of it in one breath. */
function printChanges(output: GateDeps['output']): (lines: readonly string[]) => void {
  let before: readonly string[] = [];
  return lines => {
    for (const line of lines.filter(each => !before.includes(gistOf(each)))) output.write(`${line}\n`);
    before = lines.map(gistOf);
  };
}

/** `mac-a: HostBootstrapped BootstrapRunning`: who, where and for what reason. */
const gistOf = (line: string): string => line.split(': ').slice(0, 2).join(': ');

const tooLate = ({ timeout, namespace }: GateFlags, missing: readonly string[]): Error => {
  const fleets = missing.length === 1 ? `fleet ${missing[0]} is` : `fleets ${missing.join(', ')} are`;
  return FLEETS_NOT_AVAILABLE({ timeout: formatDuration(timeout), fleets, first: missing[0] ?? '', namespace });
};
