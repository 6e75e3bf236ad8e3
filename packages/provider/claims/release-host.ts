import { chooseImage, type HostClaim } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import type { KubeObject } from '@minifleet/kube';
import { type Server, VENDOR_SERVER_UNKNOWN, type Vendor } from '@minifleet/vendors';
import type { ClaimParts } from './claim-parts.ts';
import type { Released, ReleaseHow } from './claims.ts';
import { hasCode } from './has-code.ts';
import { asideName, bearingOf, inPool, poolName, retainedName } from './host-names.ts';
import { letGo } from './let-go.ts';
import { type Departure, recordAtDeparture } from './quarantine.ts';
import { editStatus } from './write-claim.ts';

export interface Release extends ReleaseHow {
  /** Read afresh; its holder is the one who lets go. */
  readonly claim: HostClaim;
  /** Throws unless the claim is still the one to be let go. Asked right before each effect at the vendor. */
  readonly fence: () => Promise<void>;
  /** Whether the host became a Node of ours: then it is ours whatever its name at the vendor says. */
  readonly provisioned: boolean;
  /** Whom the events are about. */
  readonly regarding: KubeObject;
}

type Parts = Pick<ClaimParts, 'client' | 'clock' | 'events' | 'vendors' | 'settings'>;

/**
 * The way back, in an order that may be cut anywhere and begun again: wipe, rename, write the record, let go. Until the last write
 * nobody else may take the host, and before the wipe is asked for it does not look free to other clusters.
 */
export async function releaseHost(parts: Parts, release: Release): Promise<Released> {
  const { claim } = release;
  const vendor = await parts.vendors.for(claim.spec.zone);
  try {
    const server = await vendor.server({ zone: claim.spec.zone, id: claim.metadata.name });
    if (!server) return await end(parts, release, `it no longer exists at ${vendor.name}`);
    if (!release.provisioned && bearingOf(server.name, claim) === 'foreign') {
      return await end(
        parts,
        release,
        `it is named ${server.name} at the vendor, so it is used from outside this cluster`,
      );
    }
    if (release.how === 'Retain') return await retain(parts, release, { vendor, server });
    return await giveBack(parts, release, { vendor, server });
  } catch (error) {
    if (hasCode(error, VENDOR_SERVER_UNKNOWN)) return end(parts, release, `it no longer exists at ${vendor.name}`);
    throw error;
  }
}

interface At {
  readonly vendor: Vendor;
  readonly server: Server;
}

async function giveBack(parts: Parts, release: Release, at: At): Promise<Released> {
  const { claim, how } = release;
  const { server } = at;
  const prefix = claim.spec.poolPrefix || parts.settings.defaultPoolPrefix;
  const waiting = await wipe(parts, release, { ...at, prefix });
  if (waiting) return waiting;
  const name = prefix === '' ? asideName(claim) : poolName(claim, prefix);
  await renameTo(release, at, name);
  await writeRecord(parts, claim, {
    how: how === 'Quarantine' ? how : 'Return',
    now: parts.clock.now(),
    ...needsPerson(server, prefix),
  });
  await letGo(parts.client, claim.metadata.name, { still: sameHold(claim) });
  return { kind: 'released', words: `the host ${claim.metadata.name} is returned as ${name}` };
}

/** A host that was not wiped, or has no pool, is not given out again before somebody has looked. */
function needsPerson({ state }: Server, prefix: string): Pick<Departure, 'untilSeen'> {
  if (state === 'broken') return { untilSeen: 'HostBroken' };
  return prefix === '' ? { untilSeen: 'NoPoolPrefix' } : {};
}

async function writeRecord({ client }: Parts, claim: HostClaim, departure: Departure): Promise<void> {
  await editStatus(client, claim.metadata.name, (status, live) => {
    const record = recordAtDeparture(live, departure);
    const nothing = record.failures.length === 0 && !record.quarantine;
    if (nothing || !sameHold(claim)(live)) return undefined;
    const { quarantine: _before, ...rest } = status;
    return { ...rest, ...record };
  });
}

/** Asks for the wipe, unless that was done; says what it has to wait for. A host that only its vendor can repair is put aside as it is. */
async function wipe(
  parts: Parts,
  release: Release,
  { vendor, server, prefix }: At & { readonly prefix: string },
): Promise<Released | undefined> {
  if (!vendor.can.reinstall || server.state === 'broken') return undefined;
  if (server.state === 'busy') {
    // It goes into the pool only after the wipe was asked for, so there it is being wiped. Elsewhere it may just be restarting,
    // and the vendor would call a wipe asked for now done.
    if (inPool(server.name, prefix)) return undefined;
    return {
      kind: 'waiting',
      why: `the vendor is busy with the host (${server.stateWord}); the provider reinstalls it after that`,
    };
  }
  const image = await imageFor(parts, release, { vendor, server });
  await release.fence();
  await vendor.reinstall(server, image);
  return undefined;
}

/** Undefined is the type's own image: a host whose image and family are both retired still comes back (I31). */
async function imageFor(
  { events }: Parts,
  { os, regarding }: Release,
  { vendor, server }: At,
): Promise<string | undefined> {
  const choice = chooseImage(os, await vendor.images(server.zone, server.type));
  if (choice.image) return choice.image.name;
  const note = `${choice.sentence}; the host is reinstalled with the default image of ${server.type}`;
  events.record({ regarding, type: 'Warning', reason: 'OSPinUnavailable', action: 'Release', note });
  return undefined;
}

/** Nobody adopts it, for its name and for its quarantine; nobody sweeps it, for it has no holder. A person ends it by removing the quarantine. */
async function retain(parts: Parts, release: Release, at: At): Promise<Released> {
  const { claim } = release;
  const name = retainedName(claim);
  await renameTo(release, at, name);
  const { namespace, name: machine } = claim.spec.machineRef ?? {};
  const quarantine = {
    reason: `Retained by ${namespace}/${machine}: left unchanged and renamed to ${name}. To return it: reinstall it, rename it into its pool, then remove this quarantine`,
    since: timestamp(parts.clock.now()),
  };
  await letGo(parts.client, claim.metadata.name, { still: sameHold(claim), quarantine });
  return { kind: 'released', words: `the host ${claim.metadata.name} is left unchanged and renamed to ${name}` };
}

async function renameTo({ fence }: Release, { vendor, server }: At, name: string): Promise<void> {
  if (server.name === name) return;
  await fence();
  await vendor.rename(server, name);
}

/** Nothing is left to be done on the host; only the claim goes. */
async function end({ client }: Parts, { claim }: Release, why: string): Promise<Released> {
  await letGo(client, claim.metadata.name, { still: sameHold(claim) });
  return { kind: 'released', words: `the host ${claim.metadata.name} is left alone: ${why}` };
}

/** The same holder in the same epoch: anything later is somebody else's. */
export const sameHold =
  ({ metadata, spec }: HostClaim) =>
  (live: HostClaim): boolean =>
    live.metadata.uid === metadata.uid &&
    live.spec.machineRef?.uid === spec.machineRef?.uid &&
    live.spec.claimEpoch === spec.claimEpoch;
