import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
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
import { keyOf, keyString } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { MachineScope } from '../machines/scope.ts';
import { HOST_WITHOUT_ADDRESS } from './errors.ts';
import { hostAddresses } from './host-addresses.ts';
import type { JobRequest, JobState } from './host-work.ts';

/** How jobs come to a host; the same for all of them. */
export interface JobMeans {
  readonly clock: Clock;
  /** Who we are, for whoever finds a host busy. */
  readonly identity: string;
  /** Throws unless the machine still holds its claim, read afresh. */
  readonly fence: (samm: ScalewayAppleSiliconMachine) => Promise<void>;
  readonly openTransport: (options: SshTransportOptions) => HostTransport;
  /** Where SSH answers for a server: some are behind a port forward. Undefined while nobody knows. */
  readonly reach: (server: Server) => Reached | undefined;
}

export interface Reached {
  readonly address: string;
  readonly port: number;
}

export interface JobLife {
  readonly signal: AbortSignal;
  readonly onEntry: (entry: JournalEntry) => void;
}

export type JobEnd = Extract<JobState, { kind: 'converged' | 'inspected' | 'failed' }>;

export const dialled = (server: Server): Reached | undefined =>
  server.address === undefined ? undefined : { address: server.address, port: server.sshPort ?? 22 };

// A host that boots is waited for; one that stays away must not keep others out of its place for longer.
const REACHED_WITHIN: Readonly<Record<JobRequest['kind'], Duration>> = { converge: minutes(5), inspect: seconds(30) };
const TRY_EVERY = seconds(5);

/** One job from the claim to its report. It throws nothing: why it came to no report is its end. */
export async function runJob(request: JobRequest, means: JobMeans, life: JobLife): Promise<JobEnd> {
  let transport: HostTransport | undefined;
  try {
    await means.fence(request.scope.samm);
    transport = openFor(request.scope, means);
    return await workOver(transport, request, { means, life });
  } catch (error) {
    return { kind: 'failed', error, hostKey: transport?.hostKey };
  } finally {
    await transport?.close().catch(() => undefined);
  }
}

function openFor({ samm, found }: MachineScope, { reach, openTransport, clock }: JobMeans): HostTransport {
  const { server, access, fleetKey } = found;
  if (!server || !access || !fleetKey) throw new Error('a host job needs server, access and fleet key');
  const reached = reach(server);
  if (!reached) throw HOST_WITHOUT_ADDRESS({ host: samm.spec.claimRef?.name ?? server.id });
  const { user, hostKey } = access;
  return openTransport({
    ...reached,
    user,
    clock,
    privateKey: fleetKey.privateKey,
    hostKey: hostKey === undefined ? { firstContact: 'accept' } : { pinned: hostKey },
  });
}

interface Around {
  readonly means: JobMeans;
  readonly life: JobLife;
}

async function workOver(transport: HostTransport, request: JobRequest, { means, life }: Around): Promise<JobEnd> {
  const { clock, fence } = means;
  const { signal } = life;
  const { samm, found } = request.scope;
  await untilReachable(transport, { within: REACHED_WITHIN[request.kind], every: TRY_EVERY, clock, signal });
  // Minutes may have passed since: the claim counts now.
  await fence(samm);
  signal.throwIfAborted();
  const redactor = redactorFor(request);
  const user = found.access?.user ?? '';
  const host = openHost({ transport, user, clock, redactor, signal });
  if (request.kind === 'inspect') return inspect(host, request, redactor);
  // Asked first: of a run that fails half-way the addresses are known, too.
  const facts = { addresses: hostAddresses((await host.query(['/sbin/ifconfig', '-a'])).stdout) };
  const { attempts, plan, only, allow, reboot, mayReboot, lastly } = request;
  const options = {
    holder: `provider ${means.identity} for ${keyString(keyOf(samm))}`,
    ...{ attempts, only, allow, reboot, mayReboot, redactor, signal },
    ...{ onEntry: life.onEntry, roundTrips: () => transport.roundTrips },
  };
  const report = lastly
    ? await convergeBeforeWork(host, plan, { ...options, finalSteps: lastly, allowForFinalSteps: 'new VMs' })
    : await converge(host, plan, options);
  return { kind: 'converged', report, facts, hostKey: transport.hostKey };
}

async function inspect(host: Host, { plan }: JobRequest, redactor: Redactor): Promise<JobEnd> {
  const steps = await inspectPlan(host, plan);
  const clean = (words: readonly string[]): string[] => words.map(word => redactor.redact(word));
  return { kind: 'inspected', steps: steps.map(step => ({ ...step, differences: clean(step.differences) })) };
}

/** The plan's own secrets are learnt by the engine; an inspection has none but these. */
function redactorFor({ scope: { found } }: JobRequest): Redactor {
  const secrets = [found.access?.password, found.fleetKey?.privateKey, found.join?.kubeconfig];
  return createRedactor(secrets.filter(secret => secret !== undefined));
}
