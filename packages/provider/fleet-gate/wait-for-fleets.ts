import { type InfraMachine, macHost, machineKinds } from '@minifleet/api';
import { type Clock, type Duration, formatDuration, milliseconds, minutes, pause, seconds } from '@minifleet/clock';
import { defineError, messageOf } from '@minifleet/errors';
import type { Client } from '@minifleet/kube';
import { machineDeployments } from '../cluster-api/kinds.ts';
import { fleetOf } from '../observe/machine-phase.ts';
import { fleetStatusOf, linesOf } from './fleet-status.ts';
import { type FleetObjects, factsOf, giveUpReason, isVendorBusy, ProgressRecord, stallLimit } from './gate-progress.ts';
import type { GateFlags } from './run-gate.ts';

const FLEETS_NOT_AVAILABLE = defineError('FLEETS_NOT_AVAILABLE', {
  retry: 'operator',
  reason: 'FleetsNotAvailable',
  text: '{fleets} not Available {when}, for the reasons above; run minifleet explain fleet/{first} -n {namespace}. The installation continues in the background',
});

interface GateDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly output: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

// Polled at low frequency, so that a short outage of the API server does no harm.
const POLL_INTERVAL = seconds(3);
/** Interval of the lines that are printed while nothing changes. */
const STALL_REPORT = minutes(10);

/** Returns when all fleets are Available; meanwhile prints what each Mac waits for, whenever it changes. */
export async function waitForFleets(flags: GateFlags, deps: GateDeps): Promise<void> {
  const { clock, signal, output } = deps;
  const start = clock.now();
  const progress = new ProgressRecord(start);
  const print = changePrinter(output);
  const printStall = stallPrinter(output);
  // Kept while the API server is unavailable, so that a short outage does not end a long wait for the vendor.
  let isBusy = false;
  for (;;) {
    const check = await checkFleets(flags, deps);
    const now = clock.now();
    progress.note(check.facts, now);
    isBusy = check.isVendorBusy ?? isBusy;
    print(check.lines);
    if (check.missing.length === 0) return;
    const times = { ...flags, isVendorBusy: isBusy, sinceProgress: progress.age(now) };
    const when = giveUpReason({ ...times, elapsed: milliseconds(now - start) });
    if (when !== undefined) {
      // Printed again, so that the end of a long log shows the cause.
      output.write(`\n${check.lines.join('\n')}\n`);
      throw notAvailable(when, flags, check.missing);
    }
    printStall(times.sinceProgress, stallLimit(times));
    await pause(clock, POLL_INTERVAL, signal);
    signal.throwIfAborted();
  }
}

interface FleetCheck {
  /** Fleets that are not known to be Available. */
  readonly missing: readonly string[];
  readonly lines: readonly string[];
  readonly facts: readonly string[];
  /** Undefined if the hosts could not be read. */
  readonly isVendorBusy?: boolean;
}

/** An unavailable API server is reported like a fleet that is not Available. */
async function checkFleets({ namespace, fleets }: GateFlags, { client, signal }: GateDeps): Promise<FleetCheck> {
  try {
    const [deployments, hosts, ...machines] = await Promise.all([
      client.list(machineDeployments, { namespace, signal }),
      client.list(macHost.resource, { signal }),
      ...machineKinds.map(({ resource }) => client.list(resource, { namespace, signal })),
    ]);
    const ours = machines
      .flatMap(({ items }): InfraMachine[] => items)
      .filter(machine => fleets.includes(fleetOf(machine)));
    const claimed = new Set(ours.flatMap(({ spec }) => spec.claimRef?.name ?? []));
    const objects: FleetObjects = {
      deployments: deployments.items.filter(({ metadata }) => fleets.includes(metadata.name)),
      machines: ours,
      hosts: hosts.items.filter(({ metadata }) => claimed.has(metadata.name)),
    };
    const statuses = fleets.map(fleet => fleetStatusOf(fleet, objects));
    return {
      missing: statuses.filter(({ available }) => !available).map(({ fleet }) => fleet),
      lines: statuses.flatMap(linesOf),
      facts: factsOf(objects),
      isVendorBusy: isVendorBusy(objects),
    };
  } catch (error) {
    signal.throwIfAborted();
    const lines = [`the fleets cannot be read: ${messageOf(error)}`];
    return { missing: fleets, lines, facts: [] };
  }
}

/** Prints lines that changed since the last check, ignoring details, because Helm prints the whole log at once. */
function changePrinter(output: GateDeps['output']): (lines: readonly string[]) => void {
  let before: readonly string[] = [];
  return lines => {
    for (const line of lines.filter(each => !before.includes(gistOf(each)))) output.write(`${line}\n`);
    before = lines.map(gistOf);
  };
}

/** `mac-a (Bootstrapping, step tart): HostBootstrapped BootstrapRunning`: Mac, state, step, condition and reason. */
const gistOf = (line: string): string => line.split(': ').slice(0, 2).join(': ');

/** Prints every ten minutes without progress how long the gate still waits. */
function stallPrinter(output: GateDeps['output']): (sinceProgress: Duration, limit: Duration) => void {
  let reported = 0;
  return (sinceProgress, limit) => {
    const count = Math.floor(sinceProgress / STALL_REPORT);
    if (count > reported) {
      const since = formatDuration(milliseconds(count * STALL_REPORT));
      output.write(`no progress for ${since}; the gate fails after ${formatDuration(limit)} without progress\n`);
    }
    reported = count;
  };
}

const notAvailable = (when: string, { namespace }: GateFlags, missing: readonly string[]): Error => {
  const fleets = missing.length === 1 ? `fleet ${missing[0]} is` : `fleets ${missing.join(', ')} are`;
  return FLEETS_NOT_AVAILABLE({ when, fleets, first: missing[0] ?? '', namespace });
};
