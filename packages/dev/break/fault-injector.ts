import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { machines } from '@minifleet/cli/cluster';
import { createEventRecorder, createMetrics, silentLog } from '@minifleet/kube';
import { INCIDENT_UNKNOWN, POOL_IN_USE } from '../incidents/errors.ts';
import { type FaultEnv, openTarget } from '../incidents/fault-target.ts';
import { type HostFault, hostFaults } from '../incidents/incidents.ts';
import type { ControlHandler } from '../running/control-socket.ts';
import { chooseHost } from './choose-host.ts';
import { awaitOutcome, type FaultReport } from './fault-report.ts';
import { inject } from './inject.ts';

export interface BreakRequest {
  readonly incident: string;
  readonly host?: string | undefined;
  /** True to wait for the outcome and then clean up. */
  readonly wait: boolean;
}

interface MendRequest {
  /** Name of a host (default: all hosts). */
  readonly host?: string | undefined;
}

/** A fault that is not cleaned up yet. */
interface ActiveFault {
  readonly fault: HostFault;
  cleanUp(): Promise<void>;
}

/** Handles `break` and `mend` in a running `up`: injects faults, and reverts what no program repairs. */
export function createFaultInjector(
  env: FaultEnv,
  faults: readonly HostFault[] = hostFaults,
): { readonly break: ControlHandler; readonly mend: ControlHandler } {
  const active = new Map<string, ActiveFault>();

  async function handleBreak(request: unknown, report: (line: FaultReport) => void): Promise<void> {
    const { incident, host: requested, wait } = request as BreakRequest;
    const fault = faults.find(({ id }) => id === incident.toUpperCase());
    if (!fault) throw INCIDENT_UNKNOWN({ incident });
    const { items } = await env.client.list(machines);
    requireFreePool(fault, active);
    const machine = chooseHost({ fault, machines: items, requested, active: new Set(active.keys()) });
    const { id, expected } = fault;
    const { name: host } = machine.metadata;
    let entry: ActiveFault = { fault, cleanUp: async () => undefined };
    active.set(host, entry);
    try {
      // Before the injection, so that `watch` shows the event before the findings.
      await recordEvent(env, machine, `${id} ${fault.fault}`);
      const target = openTarget(env, machine);
      const injected = await inject(target, fault);
      entry = { fault, cleanUp: async () => injected.cleanUp?.() };
      active.set(host, entry);
      report({ injected: { id, host, action: injected.action, expected } });
      const outcome = awaitOutcome(target, fault, injected).then(async line => {
        // A reported fault stays until `mend`, so that it can be inspected.
        if (wait || ('outcome' in line && 'repaired' in line.outcome)) await finish(host, entry);
        return line;
      });
      if (wait) report(await outcome);
      else outcome.catch(() => undefined); // no client waits for the outcome
    } catch (error) {
      await finish(host, entry);
      throw error;
    }
  }

  /** Does nothing after a `mend`, because the host may have another fault by then. */
  async function finish(host: string, entry: ActiveFault): Promise<void> {
    if (active.get(host) !== entry) return;
    await entry.cleanUp();
    if (active.get(host) === entry) active.delete(host);
  }

  async function handleMend(request: unknown, report: (line: FaultReport) => void): Promise<void> {
    const { host: requested } = request as MendRequest;
    for (const [host, entry] of [...active].filter(([host]) => requested === undefined || host === requested)) {
      await finish(host, entry);
      report({ reverted: { id: entry.fault.id, host } });
    }
  }

  return { break: handleBreak, mend: handleMend };
}

/** Both faults wait until the pool is settled. The second would start before the first has observed that. */
function requireFreePool({ id: incident, needsPool }: HostFault, active: ReadonlyMap<string, ActiveFault>): void {
  if (!needsPool) return;
  for (const [host, { fault }] of active) {
    if (fault.needsPool) throw POOL_IN_USE({ incident, other: fault.id, host });
  }
}

/** Emits an event on the machine, so that `minifleet watch` and operators see that the fault is intentional. */
async function recordEvent(
  { client, clock }: FaultEnv,
  machine: ScalewayAppleSiliconMachine,
  note: string,
): Promise<void> {
  const recorder = createEventRecorder({
    client,
    clock,
    log: silentLog,
    metrics: createMetrics(),
    controller: 'minifleet.dev/break',
    instance: 'up',
  });
  recorder.record({ regarding: machine, type: 'Warning', reason: 'Broken', action: 'Break', note });
  await recorder.flush();
}
