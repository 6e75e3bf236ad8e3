import { isIP } from 'node:net';
import type { MacHost } from '@minifleet/api';
import { type Clock, type Duration, minutes, seconds } from '@minifleet/clock';
import {
  converge,
  convergeBeforeWork,
  createRedactor,
  type Host,
  type HostTransport,
  inspectPlan,
  type JournalEntry,
  openHost,
  type Redactor,
  type SshTransportOptions,
  untilReachable,
} from '@minifleet/host';
import type { HostJobResult, JobRequest } from './host-job.ts';

/** Dependencies of every job. */
export interface JobDeps {
  readonly clock: Clock;
  /** Name of this process, shown to others who find the host busy. */
  readonly identity: string;
  /** Throws unless the host, read again, still has the consumer and epoch of the given object. */
  readonly fence: (host: MacHost) => Promise<void>;
  readonly openTransport: (options: SshTransportOptions) => HostTransport;
}

export interface JobControl {
  readonly signal: AbortSignal;
  readonly onEntry: (entry: JournalEntry) => void;
}

// A booting host is waited for. An inspection must not occupy a slot for that long.
const REACHABLE_WITHIN: Readonly<Record<JobRequest['kind'], Duration>> = { converge: minutes(5), inspect: seconds(30) };
const CONNECT_INTERVAL = seconds(5);

/** Runs one job, from the fence to its report. It never throws: a failure is a result. */
export async function runJob(request: JobRequest, deps: JobDeps, control: JobControl): Promise<HostJobResult> {
  let transport: HostTransport | undefined;
  try {
    await deps.fence(request.host);
    transport = open(request, deps);
    return await runOver(transport, request, { deps, control });
  } catch (error) {
    return { kind: 'failed', error, hostKey: transport?.hostKey };
  } finally {
    await transport?.close().catch(() => undefined);
  }
}

function open({ address, access, fleetKey }: JobRequest, { openTransport, clock }: JobDeps): HostTransport {
  const { user, hostKey } = access;
  return openTransport({
    ...address,
    user,
    clock,
    privateKey: fleetKey.privateKey,
    hostKey: hostKey === undefined ? { firstContact: 'accept' } : { pinned: hostKey },
  });
}

async function runOver(
  transport: HostTransport,
  request: JobRequest,
  { deps, control }: { readonly deps: JobDeps; readonly control: JobControl },
): Promise<HostJobResult> {
  const { clock, fence, identity } = deps;
  const { signal, onEntry } = control;
  await untilReachable(transport, {
    within: REACHABLE_WITHIN[request.kind],
    every: CONNECT_INTERVAL,
    clock,
    signal,
  });
  // Minutes may have passed since the first fence.
  await fence(request.host);
  signal.throwIfAborted();
  const redactor = redactorFor(request);
  const { user } = request.access;
  const host = openHost({ transport, user, clock, redactor, signal });
  if (request.kind === 'inspect') return inspect(host, request, redactor);
  // Read first, so that the addresses are known even if the job fails.
  const addresses = hostAddresses((await host.query(['/sbin/ifconfig', '-a'])).stdout);
  const { attempts, plan, only, allow, reboot, mayReboot, finalSteps } = request;
  const { namespace, name } = request.host.spec.consumerRef ?? {};
  const options = {
    holder: `provider ${identity} for ${namespace}/${name}`,
    ...{ attempts, only, allow, reboot, mayReboot, redactor, signal, onEntry },
    roundTrips: () => transport.roundTrips,
  };
  const report = finalSteps
    ? await convergeBeforeWork(host, plan, { ...options, finalSteps, allowForFinalSteps: 'new VMs' })
    : await converge(host, plan, options);
  return { kind: 'converged', report, addresses, hostKey: transport.hostKey };
}

async function inspect(host: Host, { plan }: JobRequest, redactor: Redactor): Promise<HostJobResult> {
  const steps = await inspectPlan(host, plan);
  const redacted = (differences: readonly string[]): string[] => differences.map(text => redactor.redact(text));
  return { kind: 'inspected', steps: steps.map(step => ({ ...step, differences: redacted(step.differences) })) };
}

/** The engine learns the secrets of the plan itself. An inspection has only these. */
function redactorFor({ access, fleetKey, kubeconfig }: JobRequest): Redactor {
  const secrets = [access.password, fleetKey.privateKey, kubeconfig];
  return createRedactor(secrets.filter(secret => secret !== undefined));
}

/** Networks of VMs and of the host itself: no Pod reaches the host there, and no certificate needs these addresses. */
const INTERNAL_INTERFACES = /^(lo|bridge|vmnet|awdl|llw|anpi)\d*$/;
const LOOPBACK_OR_LINK_LOCAL = /^(127\.|169\.254\.|::1$|fe[89ab])/i;

/** Addresses of the host in the output of `ifconfig -a`, in its order, without duplicates. */
export function hostAddresses(output: string): string[] {
  return [...new Set(output.split(/^(?=\S)/m).flatMap(addressesOf))];
}

function addressesOf(block: string): string[] {
  const name = /^([\w.-]+):/.exec(block)?.[1];
  if (name === undefined || INTERNAL_INTERFACES.test(name)) return [];
  // `inet6 fe80::1%lo0 prefixlen 64`: the part after % is the interface.
  const addresses = [...block.matchAll(/^\s+inet6? ([^\s%]+)/gm)].map(([, address = '']) => address);
  return addresses.filter(address => isIP(address) !== 0 && !LOOPBACK_OR_LINK_LOCAL.test(address));
}
