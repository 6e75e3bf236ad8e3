/** What metrics-server needs of the API server: the rights of its published manifest, and a place under /apis. */
import type { ClusterPlan } from '../components/component.ts';
import { setupRefused } from '../errors.ts';
import type { HttpsClient } from '../https-client.ts';
import { METRICS_SERVER_USER, METRICS_SERVICE } from '../pki/cluster-pki.ts';
import { waitUntil } from '../wait-until.ts';
import { type AccessRule, createAccessRules, RBAC } from './access-rules.ts';
import { createObject } from './create-object.ts';

const GROUP = 'metrics.k8s.io';
const VERSION = 'v1beta1';
const SERVED_WITHIN = 30_000;

const ROLE = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name: 'system:metrics-server' },
  rules: [
    { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
    { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
  ],
};

const subject = { kind: 'User', name: METRICS_SERVER_USER } as const;

const RULES: readonly AccessRule[] = [
  { name: 'minifleet:metrics-server', role: ROLE.metadata.name, subject },
  // It asks the API server who its callers are and what they may read.
  { name: 'minifleet:metrics-server-delegation', role: 'system:auth-delegator', subject },
  {
    name: 'minifleet:metrics-server-authentication',
    role: 'extension-apiserver-authentication-reader',
    namespace: 'kube-system',
    subject,
  },
];

export async function createMetricsAccess(client: HttpsClient): Promise<void> {
  await createObject(client, `/apis/${RBAC}/v1/clusterroles`, ROLE);
  await createAccessRules(client, RULES);
}

/** To be called when metrics-server answers: an API that is registered and silent makes every discovery fail. */
export async function registerMetricsApi(client: HttpsClient, plan: ClusterPlan): Promise<void> {
  await createObject(client, `/api/v1/namespaces/${METRICS_SERVICE.namespace}/services`, metricsService());
  await createObject(client, '/apis/apiregistration.k8s.io/v1/apiservices', metricsApiService(plan));
  const served = await waitUntil(async () => (await client.ask(`/apis/${GROUP}/${VERSION}`)).status === 200, {
    deadline: SERVED_WITHIN,
  });
  if (!served) throw setupRefused(`the API ${GROUP}`, `it is not served after ${SERVED_WITHIN / 1000} s`);
}

/** An API server dials an external name as it stands; it is the only kind of Service that may lead to loopback. */
const metricsService = () => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: METRICS_SERVICE.name },
  spec: { type: 'ExternalName', externalName: '127.0.0.1' },
});

const metricsApiService = ({ ports, pki }: ClusterPlan) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${VERSION}.${GROUP}` },
  spec: {
    group: GROUP,
    version: VERSION,
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { ...METRICS_SERVICE, port: ports.metricsServer },
    caBundle: Buffer.from(pki.authorities.cluster.certificate).toString('base64'),
  },
});
