import { type Clock, createBackOff, microTimestamp, milliseconds, seconds } from '@minifleet/clock';
import { type Client, errorFields, isConflict, isNotFound, type Lease, type Log, leases } from '@minifleet/kube';
import { createWakeableSleep } from './wakeable-sleep.ts';

interface NodeLeaseOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeName: string;
  /** Undefined while there is no Node: a lease without an owner would outlive it. */
  readonly nodeUid: () => string | undefined;
}

/** Heartbeat: a Lease renewed on its own timer, which nothing else in the agent can delay. */
interface NodeLease {
  /** Renews immediately: the Node is new, and the old lease is deleted with the old Node. */
  renewNow(): void;
  run(signal: AbortSignal): Promise<void>;
}

const RENEW_EVERY = seconds(10);
const JITTER = 0.04;
const DURATION = seconds(40);
// Later responses are useless, because the next renewal is due.
const RENEW_TIMEOUT = seconds(10);
const RETRY = { first: milliseconds(200), most: seconds(7), jitter: 0.2 };

export function createNodeLease(options: NodeLeaseOptions): NodeLease {
  const { clock, log, nodeName } = options;
  const rest = createWakeableSleep(clock);
  const renew = createRenewal(options);
  return {
    renewNow: () => rest.wake(),
    async run(signal) {
      const backOff = createBackOff(RETRY, clock);
      while (!signal.aborted) {
        try {
          await renewWithTimeout(clock, signal, renew);
          backOff.reset();
          await rest.sleep(milliseconds(RENEW_EVERY * (1 + JITTER * clock.random())), signal);
        } catch (error) {
          if (signal.aborted) return;
          log.warn({ ...errorFields(error), node: nodeName }, 'Lease renewal failed; retrying');
          await rest.sleep(backOff.next(), signal);
        }
      }
    },
  };
}

/** One PUT on the last observed version; a foreign write or a deletion costs one more read. */
function createRenewal({ client, clock, nodeName, nodeUid }: NodeLeaseOptions) {
  const key = { namespace: 'kube-node-lease', name: nodeName };
  let observed: Lease | undefined;

  return async (signal: AbortSignal): Promise<void> => {
    const uid = nodeUid();
    if (uid === undefined) return;
    const content = leaseContent(nodeName, uid, clock.now());
    observed ??= await client.find(leases, key, { signal });
    try {
      observed = observed
        ? await client.update(leases, withContent(observed, content), { signal })
        : await client.create(
            leases,
            { metadata: { ...key, ownerReferences: content.owners }, spec: content.spec },
            { signal },
          );
    } catch (error) {
      observed = undefined;
      if (!isConflict(error) && !isNotFound(error)) throw error;
      const live = await client.find(leases, key, { signal });
      if (!live) throw error;
      observed = await client.update(leases, withContent(live, content), { signal });
    }
  };
}

type LeaseContent = ReturnType<typeof leaseContent>;

const leaseContent = (nodeName: string, uid: string, now: number) => ({
  owners: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid }],
  spec: {
    holderIdentity: nodeName,
    leaseDurationSeconds: DURATION / 1_000,
    renewTime: microTimestamp(now),
  },
});

const withContent = (lease: Lease, { owners, spec }: LeaseContent): Lease => ({
  ...lease,
  metadata: { ...lease.metadata, ownerReferences: owners },
  spec: { ...lease.spec, ...spec },
});

async function renewWithTimeout(
  clock: Clock,
  signal: AbortSignal,
  renew: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const late = new AbortController();
  const timer = clock.after(RENEW_TIMEOUT, () => late.abort(new Error('timed out')));
  try {
    await renew(AbortSignal.any([signal, late.signal]));
  } finally {
    timer.cancel();
  }
}
