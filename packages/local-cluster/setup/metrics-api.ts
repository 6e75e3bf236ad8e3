/** Setup of metrics-server: the permissions of its published manifest, and its APIService. */
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
  // It delegates authentication and authorization to the API server.
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

/** Call it once metrics-server responds: a registered API that does not respond makes every discovery fail. */
export async function registerMetricsApi(client: HttpsClient, plan: ClusterPlan): Promise<void> {
  await createObject(client, `/api/v1/namespaces/${METRICS_SERVICE.namespace}/services`, metricsService());
  await createObject(client, '/apis/apiregistration.k8s.io/v1/apiservices', metricsApiService(plan));
  const served = await waitUntil(async () => (await client.request(`/apis/${GROUP}/${VERSION}`)).status === 200, {
    deadline: SERVED_WITHIN,
  });
  if (!served) throw setupRefused(`the API ${GROUP}`, `it is not served after ${SERVED_WITHIN / 1000} s`);
}

/** The API server connects to an external name without endpoints; it is the only type of Service that may point to loopback. */
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
