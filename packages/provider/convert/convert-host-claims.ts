import { macHost, names, scalewayAppleSiliconMachine } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import {
  apiVersionOf,
  type Client,
  deleteExact,
  hasFinalizer,
  isAlreadyExists,
  isNotFound,
  type KubeSecret,
  keyOf,
  type Log,
  removeFinalizer,
  secrets,
} from '@minifleet/kube';
import { MANAGED_BY } from '../credentials/edit-secret.ts';
import type { ProviderSettings } from '../settings/settings.ts';
import { type HostClaim, hostClaims } from './host-claim.ts';
import { hostFromClaim, type NewMacHost } from './host-from-claim.ts';

const hosts = macHost.resource;
const machines = scalewayAppleSiliconMachine.resource;

export interface ConversionDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Pick<ProviderSettings, 'defaultPoolPrefix'>;
  /** Without a vendor all Macs are owned, and the address of an owned Mac is not in its HostClaim. */
  readonly hasVendor: boolean;
}

/**
 * Replaces the HostClaims of the previous version with MacHosts, once, before any controller starts. The order can be interrupted anywhere:
 * the MacHost is complete before the HostClaim is deleted. The Secret of the machine stays for a rollback.
 */
export async function convertHostClaims(deps: ConversionDeps): Promise<void> {
  const { client, log, hasVendor } = deps;
  const claims = await listClaims(client);
  if (claims.length > 0 && !hasVendor) {
    const message = 'HostClaims of owned Macs are not converted; see the upgrade notes in CHANGELOG.md';
    log.warn({ hostClaims: claims.map(({ metadata }) => metadata.name) }, message);
    return;
  }
  for (const claim of claims) await convert(claim, deps);
}

/** Empty if the CRD does not exist: a new installation, or an operator has deleted it. */
async function listClaims(client: Client): Promise<readonly HostClaim[]> {
  try {
    return (await client.list(hostClaims)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function convert(claim: HostClaim, { client, clock, log, settings }: ConversionDeps): Promise<void> {
  const { machineRef } = claim.spec;
  const found = machineRef && (await client.find(machines, machineRef));
  const machine = found?.metadata.uid === machineRef?.uid ? found : undefined;
  const { defaultPoolPrefix: defaultPool } = settings;
  const host = hostFromClaim(claim, { machine, defaultPool, now: clock.now() });
  const { name } = claim.metadata;
  if (!host) {
    log.warn({ hostClaim: name }, 'HostClaim has no pool and is not converted; set --default-adopt-pool-prefix');
    return;
  }
  await writeHost(client, host);
  if (machineRef) await copyCredentials(client, host, { ...machineRef, name: `${machineRef.name}-bootstrap` });
  await deleteClaim(client, claim);
  log.info({ host: name, epoch: claim.spec.claimEpoch, machine: machineRef?.name ?? '' }, 'HostClaim converted');
}

async function writeHost(client: Client, { metadata, spec, status }: NewMacHost): Promise<void> {
  const key = { name: metadata.name };
  try {
    await client.create(hosts, { metadata, spec });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await adoptHost(client, { metadata, spec, status });
  }
  if (Object.keys(status).length > 0)
    await client.patch(hosts, key, { type: 'merge', body: { status } }, { subresource: 'status' });
}

/** A free object of this server that has seen fewer claims, for example one that discovery created. */
async function adoptHost(client: Client, { metadata, spec }: NewMacHost): Promise<void> {
  const known = await client.get(hosts, { name: metadata.name });
  if (known.spec.consumerRef || known.spec.claimEpoch >= spec.claimEpoch) return;
  await client.update(hosts, { ...known, metadata: { ...known.metadata, ...metadata }, spec });
}

async function copyCredentials(
  client: Client,
  host: NewMacHost,
  from: { namespace: string; name: string },
): Promise<void> {
  const old = await client.find(secrets, from);
  const { name, uid } = (await client.get(hosts, { name: host.metadata.name })).metadata;
  if (!old) return;
  const secret: Partial<KubeSecret> & Pick<KubeSecret, 'metadata'> = {
    metadata: {
      namespace: from.namespace,
      name: `${name}-credentials`,
      labels: { ...MANAGED_BY, [names.labels.host]: name },
      ownerReferences: [{ apiVersion: apiVersionOf(hosts), kind: hosts.kind, name, uid: uid ?? '', controller: true }],
    },
    ...(old.data ? { data: old.data } : {}),
  };
  try {
    await client.create(secrets, secret);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** A provider of the previous version that still runs finds its claim lost from here on, and stops before its next effect. */
async function deleteClaim(client: Client, claim: HostClaim): Promise<void> {
  const now = await client.find(hostClaims, keyOf(claim));
  if (!now) return;
  await deleteExact(client, hostClaims, now);
  const deleted = await client.find(hostClaims, keyOf(claim));
  if (deleted && hasFinalizer(deleted, names.finalizers.hostClaim))
    await removeFinalizer({ client, resource: hostClaims }, deleted, names.finalizers.hostClaim);
}
