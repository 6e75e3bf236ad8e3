/** Cluster API's CRDs and webhook configurations, pointed at the manager on loopback instead of a Service. */
import { readFile } from 'node:fs/promises';
import { setupRefused } from '../errors.ts';
import type { HttpsClient } from '../https-client.ts';
import { waitUntil } from '../wait-until.ts';
import { type ApiObject, createObject } from './create-object.ts';

type ClientConfig = { service?: { path?: string }; url?: string; caBundle?: string };
type WebhookConfiguration = ApiObject & { webhooks: { clientConfig: ClientConfig }[] };
type Crd = ApiObject & { metadata: { labels?: Record<string, string> }; spec: { conversion?: unknown } };
type CapiManifests = { crds: Crd[]; webhooks: WebhookConfiguration[] };
type WebhookAddress = { url: string; certificateAuthority: string };

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const ESTABLISHED_WITHIN = 60_000;
// Labels that clusterctl sets on the CRDs it installs, and requires later.
const LABELS = { 'cluster.x-k8s.io/provider': 'cluster-api', 'clusterctl.cluster.x-k8s.io': '' };

export async function readCapiManifests(file: string): Promise<CapiManifests> {
  return JSON.parse(await readFile(file, 'utf8')) as CapiManifests;
}

/** Creates the CRDs and returns when the API server serves every resource. */
export async function createCrds(client: HttpsClient, { crds }: CapiManifests, address: WebhookAddress): Promise<void> {
  await Promise.all(crds.map(crd => createObject(client, CRDS, withConversion(crd, address))));
  const served = await waitUntil(async () => crdsServed(client, crds.length), { deadline: ESTABLISHED_WITHIN });
  if (!served)
    throw setupRefused('the CRDs of Cluster API', `they are not served after ${ESTABLISHED_WITHIN / 1000} s`);
}

/** Call it once the manager responds: from then on the API server rejects what the manager rejects. */
export async function createWebhooks(
  client: HttpsClient,
  { webhooks }: CapiManifests,
  address: WebhookAddress,
): Promise<void> {
  await Promise.all(
    webhooks.map(configuration => {
      const collection = configuration.kind === 'MutatingWebhookConfiguration' ? 'mutating' : 'validating';
      return createObject(
        client,
        `${ADMISSION}/${collection}webhookconfigurations`,
        onLoopback(configuration, address),
      );
    }),
  );
}

export function withConversion(crd: Crd, address: WebhookAddress): Crd {
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: clientConfig(address, '/convert') };
  const labels = { ...crd.metadata.labels, ...LABELS };
  return {
    ...crd,
    metadata: { ...crd.metadata, labels },
    spec: { ...crd.spec, conversion: { strategy: 'Webhook', webhook } },
  };
}

export function onLoopback(configuration: WebhookConfiguration, address: WebhookAddress): WebhookConfiguration {
  const webhooks = configuration.webhooks.map(webhook => ({
    ...webhook,
    clientConfig: clientConfig(address, webhook.clientConfig.service?.path ?? '/'),
  }));
  return { ...configuration, metadata: { name: `capi-${configuration.metadata.name}` }, webhooks };
}

function clientConfig({ url, certificateAuthority }: WebhookAddress, path: string): ClientConfig {
  return { url: `${url}${path}`, caBundle: Buffer.from(certificateAuthority).toString('base64') };
}

/** Clients use discovery, which lags behind the Established condition. */
async function crdsServed(client: HttpsClient, count: number): Promise<boolean> {
  const { text } = await client.request('/apis', {
    headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
  });
  const groups = JSON.parse(text) as {
    items?: { metadata?: { name?: string }; versions?: { version: string; resources?: unknown[] }[] }[];
  };
  const capi = groups.items?.filter(({ metadata }) => metadata?.name?.endsWith('cluster.x-k8s.io')) ?? [];
  const newest = capi.flatMap(
    ({ versions }) => versions?.find(({ version }) => version === 'v1beta2')?.resources ?? [],
  );
  return newest.length >= count;
}
