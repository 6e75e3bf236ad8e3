import type { OperatingSystem } from './catalogue.ts';
import type { CommitmentType, Server, ServerStatus } from './server.ts';

const DAY = 24 * 60 * 60_000;
/** The operators observed a minimum of several weeks on a mini with a monthly commitment (tuist#10922). */
const MONTH = 30 * DAY;

/** Apple's licence requires a lease of at least one day, so the vendor accepts no deletion before (S1). */
export const deletableFrom = (createdAt: number, commitment: CommitmentType): number =>
  createdAt + (commitment === 'renewed_monthly' ? MONTH : DAY);

/** Ends the first installation: the server is delivered to the customer. */
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

/** `delivered` stays true: only the status shows that the host is being wiped. */
export const startReinstall = (server: Server, os: OperatingSystem, now: number): Server => ({
  ...server,
  status: 'reinstalling',
  os,
  updatedAt: now,
});

/** Keeps id, name and address. Everything that a client may have stored about the machine itself changes. */
export const finishReinstall = (server: Server, password: string, now: number): Server => ({
  ...server,
  status: 'ready',
  password,
  passwordSetAt: now,
  installation: server.installation + 1,
  updatedAt: now,
});

/** Fields that `PATCH` can change. There is no version or precondition: the last writer wins (facts §4). */
export interface ServerChange {
  readonly name?: string;
  readonly scheduleDeletion?: boolean;
  readonly commitment?: CommitmentType;
  readonly bandwidth?: number;
}

export function change(server: Server, requested: ServerChange, now: number): Server {
  return {
    ...server,
    name: requested.name ?? server.name,
    deletionScheduled: requested.scheduleDeletion ?? server.deletionScheduled,
    bandwidth: requested.bandwidth ?? server.bandwidth,
    commitment: commitmentAfter(server, requested.commitment),
    updatedAt: now,
  };
}

/** `none` ends a renewing commitment at its term; it does not cancel it immediately (SDK documentation). */
function commitmentAfter(server: Server, requested: CommitmentType | undefined): Server['commitment'] {
  if (requested === undefined) return server.commitment;
  if (requested === 'none') return { ...server.commitment, cancelled: server.commitment.type === 'renewed_monthly' };
  return { type: requested === 'duration_24h' ? 'none' : requested, cancelled: false };
}
