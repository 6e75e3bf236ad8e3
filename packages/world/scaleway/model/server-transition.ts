import type { OperatingSystem } from './catalogue.ts';
import type { CommitmentType, Server, ServerStatus } from './server.ts';

const DAY = 24 * 60 * 60_000;
/** The operators met a floor of several weeks on a mini with a monthly commitment (tuist#10922). */
const MONTH = 30 * DAY;

/** Apple's licence: a Mac is let for a day at least, so the vendor takes none back before (S1). */
export const deletableFrom = (createdAt: number, commitment: CommitmentType): number =>
  createdAt + (commitment === 'renewed_monthly' ? MONTH : DAY);

/** The end of the first installation: from now on it is the customer's. */
export const deliver = (server: Server, now: number): Server => ({
  ...server,
  status: 'ready',
  delivered: true,
  passwordSetAt: now,
  updatedAt: now,
});

export const withStatus = (server: Server, status: ServerStatus, now: number): Server => ({
  ...server,
  status,
  updatedAt: now,
});

/** `delivered` stays true: only the status tells that the host is being wiped. */
export const startReinstall = (server: Server, os: OperatingSystem, now: number): Server => ({
  ...server,
  status: 'reinstalling',
  os,
  updatedAt: now,
});

/** Same id, name and address; everything a client may have remembered about the machine itself is different. */
export const finishReinstall = (server: Server, password: string, now: number): Server => ({
  ...server,
  status: 'ready',
  password,
  passwordSetAt: now,
  installation: server.installation + 1,
  updatedAt: now,
});

/** What `PATCH` can change. Unconditional: there is no version to compare, the last writer wins (facts §4). */
export interface ServerChange {
  readonly name?: string;
  readonly scheduleDeletion?: boolean;
  readonly commitment?: CommitmentType;
  readonly bandwidth?: number;
}

export function change(server: Server, wanted: ServerChange, now: number): Server {
  return {
    ...server,
    name: wanted.name ?? server.name,
    deletionScheduled: wanted.scheduleDeletion ?? server.deletionScheduled,
    bandwidth: wanted.bandwidth ?? server.bandwidth,
    commitment: commitmentAfter(server, wanted.commitment),
    updatedAt: now,
  };
}

/** `none` ends a renewing commitment at its term, it does not undo it (SDK documentation). */
function commitmentAfter(server: Server, wanted: CommitmentType | undefined): Server['commitment'] {
  if (wanted === undefined) return server.commitment;
  if (wanted === 'none') return { ...server.commitment, cancelled: server.commitment.type === 'renewed_monthly' };
  return { type: wanted === 'duration_24h' ? 'none' : wanted, cancelled: false };
}
