import type { OperatingSystem } from './catalogue.ts';

/** Statuses of the API. */
export const serverStatuses = [
  'unknown_status',
  'starting',
  'ready',
  'error',
  'rebooting',
  'updating',
  'locking',
  'locked',
  'unlocking',
  'reinstalling',
  'busy',
] as const;
export type ServerStatus = (typeof serverStatuses)[number];

export type CommitmentType = 'duration_24h' | 'renewed_monthly' | 'none';

/** One ordered Mac in the vendor's records. Immutable: each change returns a new one. */
export interface Server {
  readonly id: string;
  readonly zone: string;
  readonly projectId: string;
  readonly organizationId: string;
  /** Not unique. Anyone in the project may change it at any time without a precondition. */
  readonly name: string;
  readonly type: string;
  readonly ip: string;
  /** Last installed image, which stays here after the catalogue retired it. */
  readonly os: OperatingSystem;
  readonly status: ServerStatus;
  readonly delivered: boolean;
  readonly password: string;
  /** The API shows the password for some hours from this time. */
  readonly passwordSetAt: number;
  /** Number of installations. Each has a new SSH host key, a new password and an empty disk. */
  readonly installation: number;
  readonly commitment: { readonly type: CommitmentType; readonly cancelled: boolean };
  readonly bandwidth: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletableAt: number;
  readonly deletionScheduled: boolean;
  /** End of billing. */
  readonly deletedAt?: number;
}

/** User of every delivered mini. */
export const SSH_USERNAME = 'm1';
/** Recorded in 2025 and 2026; it was 5900 in 2021. */
export const VNC_PORT = 59_010;
