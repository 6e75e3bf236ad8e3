import { isDeepStrictEqual } from 'node:util';
import { type InfraMachine, type MacHost, macHost, names, scalewayAppleSiliconMachine } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import {
  apiVersionOf,
  type Client,
  deleteExact,
  deleting,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeSecret,
  keyOf,
  type Log,
  removeFinalizer,
  retryOnConflict,
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

type ClaimConversionDeps = Omit<ConversionDeps, 'hasVendor'>;

/** Repeats until the HostClaim is deleted as it was converted: a provider of the previous version may still run and change it. */
async function convert(listed: HostClaim, deps: ClaimConversionDeps): Promise<void> {
  const { client, clock, log, settings } = deps;
  const { name } = listed.metadata;
  for (;;) {
    const claim = await client.find(hostClaims, { name });
    if (!claim) return;
    const { machineRef, claimEpoch: epoch } = claim.spec;
    const machine = machineRef && (await machineOf(client, machineRef));
    const host = hostFromClaim(claim, { machine, defaultPool: settings.defaultPoolPrefix, now: clock.now() });
    if (!host) {
      log.warn({ hostClaim: name }, 'HostClaim has no pool and is not converted; set --default-adopt-pool-prefix');
      return;
    }
    if (!(await writeHost(client, host))) {
      const message =
        'HostClaim is not converted, because another machine holds the MacHost; delete one of the machines';
      log.warn({ hostClaim: name, machine: machineRef?.name ?? '' }, message);
      return;
    }
    if (machineRef) await copyCredentials(client, host, { ...machineRef, name: `${machineRef.name}-bootstrap` });
    if (!(await deleteClaim(client, claim))) continue;
    log.info({ host: name, epoch, machine: machineRef?.name ?? '' }, 'HostClaim converted');
    return;
  }
}

async function machineOf(
  client: Client,
  { uid, ...key }: NonNullable<HostClaim['spec']['machineRef']>,
): Promise<InfraMachine | undefined> {
  const machine = await client.find(machines, key);
  return machine?.metadata.uid === uid ? machine : undefined;
}

/** False if another machine holds the MacHost, for example after a rollback to the previous version. */
async function writeHost(client: Client, host: NewMacHost): Promise<boolean> {
  const { metadata, spec, status } = host;
  const written = await retryOnConflict(
    async () => {
      const known = await client.find(hosts, { name: metadata.name });
      if (!known) return Boolean(await client.create(hosts, { metadata, spec }));
      const merged = mergedHost(known, host);
      if (merged) await client.update(hosts, merged);
      return merged !== undefined;
    },
    { orRecreated: true },
  );
  if (written && Object.keys(status).length > 0) {
    const patch = { type: 'merge', body: { status } } as const;
    await client.patch(hosts, { name: metadata.name }, patch, { subresource: 'status' });
  }
  return written;
}

/**
 * An existing MacHost with the hold of the HostClaim: it is from an interrupted conversion, from discovery, or from before a rollback.
 * The API server accepts a new consumer only with a greater epoch. Undefined if another machine holds the MacHost.
 */
function mergedHost(known: MacHost, { metadata, spec }: NewMacHost): MacHost | undefined {
  const [held, claimed] = [known.spec.consumerRef?.uid, spec.consumerRef?.uid];
  if (held !== undefined && claimed !== undefined && held !== claimed) return undefined;
  // A machine claimed the MacHost after the HostClaim was released.
  if (held !== undefined && claimed === undefined && known.spec.claimEpoch > spec.claimEpoch) return known;
  const isNewHold = held === undefined && claimed !== undefined;
  const claimEpoch = Math.max(spec.claimEpoch, known.spec.claimEpoch + (isNewHold ? 1 : 0));
  return {
    ...known,
    metadata: { ...known.metadata, ...metadata, finalizers: metadata.finalizers ?? [] },
    spec: { ...spec, claimEpoch },
  };
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

/**
 * Deletes the HostClaim unless it was changed since it was converted. A provider of the previous version that still runs reads its
 * HostClaim before every effect, so it stops here.
 */
async function deleteClaim(client: Client, claim: HostClaim): Promise<boolean> {
  if (!deleting(claim) && !(await deleteExact(client, hostClaims, claim, { unchanged: true }))) return false;
  const deleted = await client.find(hostClaims, keyOf(claim));
  if (!deleted) return true;
  if (!isDeepStrictEqual(deleted.spec, claim.spec)) return false;
  try {
    await removeFinalizer({ client, resource: hostClaims }, deleted, names.finalizers.hostClaim);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
