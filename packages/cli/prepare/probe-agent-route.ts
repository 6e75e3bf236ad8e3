import { names } from '@minifleet/api';
import { type Clock, formatDuration, seconds, within } from '@minifleet/clock';
import { messageOf } from '@minifleet/errors';
import { ApiError, type Client, isNotFound, pods } from '@minifleet/kube/client';
import { type Diagnosis, unknown } from '../diagnosis/diagnosis.ts';
import { type ResolveName, resolveAddress } from '../host/resolve-address.ts';
import { AGENT_PORT, type AgentRoute, checkAgentRoute, isForwarded, judgeForwarding } from './agent-route.ts';

/** The Mac, and the namespace of its fleet, in which the check creates its Pod. */
export interface RouteTarget {
  /** IP address or DNS name. */
  readonly host: string;
  readonly namespace: string;
}

export interface RouteProbeDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly random: (bytes: number) => Uint8Array;
  readonly resolveName?: ResolveName | undefined;
}

/**
 * Longer than the TLS handshake of the API server (10s), so that a program that accepts the connection and stays silent counts as reached.
 * Shorter than its connection timeout (30s).
 */
const LIMIT = seconds(12);

/** Lets the API server connect to the port of the node agent, and checks its answer. Works before the agent is installed. */
export async function probeAgentRoute({ host, namespace }: RouteTarget, deps: RouteProbeDeps): Promise<Diagnosis[]> {
  const [address] = await resolveAddress(host, deps);
  if (address === undefined)
    return [checkAgentRoute(host, { kind: 'unknown', why: 'the name does not resolve on this computer' })];
  if (!isForwarded(address))
    return [checkAgentRoute(address, { kind: 'unknown', why: 'an API server does not connect to such an address' })];
  deps.signal.throwIfAborted();
  const pod = podAt(namespace, `minifleet-route-${Buffer.from(deps.random(4)).toString('hex')}`);
  let left: Diagnosis[] = [];
  let route: AgentRoute;
  let mayExist = true;
  try {
    const denied = await refusal(`create Pods in namespace ${namespace}`, () => deps.client.create(pods, pod));
    mayExist = denied === undefined;
    route = denied ?? (await forward(pod, address, deps));
  } finally {
    // After Ctrl-C as well, and after a lost response to the creation.
    if (mayExist) left = await remove(pod, deps.client);
  }
  return [checkAgentRoute(address, route), ...left];
}

type NewPod = ReturnType<typeof podAt>;

/**
 * A Pod that never runs and whose status has the address of the Mac. The API server forwards requests to the address of a Pod. It forwards
 * requests to a Service only if its address is that of a Pod, and a Node would receive the Pods of DaemonSets.
 */
const podAt = (namespace: string, name: string) => ({
  metadata: {
    namespace,
    name,
    labels: { [names.labels.check]: 'agent-route' },
    annotations: {
      'kubernetes.io/description':
        'Created by the minifleet command line to check the connection from the API server to a Mac. It never runs, and the command deletes it.',
    },
  },
  spec: {
    schedulingGates: [{ name: 'minifleet.dev/never-runs' }],
    automountServiceAccountToken: false,
    restartPolicy: 'Never' as const,
    // Allowed by the strictest Pod security standard.
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' as const } },
    containers: [
      {
        name: 'none',
        image: 'none',
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  },
});

async function forward(pod: NewPod, address: string, deps: RouteProbeDeps): Promise<AgentRoute> {
  const { client, signal } = deps;
  const { namespace, name } = pod.metadata;
  const body = { status: { podIP: address, podIPs: [{ ip: address }] } };
  signal.throwIfAborted();
  const denied = await refusal(`patch pods/status in namespace ${namespace}`, () =>
    client.patch(pods, { namespace, name }, { type: 'merge', body }, { subresource: 'status' }),
  );
  return denied ?? connect(`/api/v1/namespaces/${namespace}/pods/https:${name}:${AGENT_PORT}/proxy/`, deps);
}

/** A cluster may refuse the Pod by permissions, quota or admission. That shows nothing about the route. */
async function refusal(action: string, work: () => Promise<unknown>): Promise<AgentRoute | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { kind: 'unknown', why: `the API server did not let you ${action} (${error.status.message})` };
  }
}

/** The API server removes the credentials of this request before it forwards it. */
async function connect(path: string, { client, clock, signal }: RouteProbeDeps): Promise<AgentRoute> {
  try {
    await within({ clock, limit: LIMIT, signal }, over => client.send({ method: 'GET', path, signal: over }));
    return judgeForwarding({ code: 200, message: '' });
  } catch (error) {
    if (error instanceof Error && error.name === 'OutOfTime')
      return { kind: 'closed', why: `no answer within ${formatDuration(LIMIT)}` };
    if (!(error instanceof ApiError)) throw error;
    return judgeForwarding({ code: error.code, kind: error.status.kind, message: error.status.message ?? '' });
  }
}

async function remove({ metadata: { namespace, name } }: NewPod, client: Client): Promise<Diagnosis[]> {
  try {
    await client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 });
    return [];
  } catch (error) {
    if (isNotFound(error)) return [];
    const why = `Pod ${namespace}/${name} of this check was not deleted (${messageOf(error)})`;
    return [unknown(`port ${AGENT_PORT}`, `${why}; delete it: kubectl delete pod -n ${namespace} ${name}`)];
  }
}
