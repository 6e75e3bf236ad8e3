import type { OperatingSystem } from './catalogue.ts';

/** As the API names them. */
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

/** One ordered Mac, as the vendor's books have it. A value: each change gives a new one. */
export interface Server {
  readonly id: string;
  readonly zone: string;
  readonly projectId: string;
  readonly organizationId: string;
  /** Not unique, and anyone in the project may change it at any time without a condition. */
  readonly name: string;
  readonly type: string;
  readonly ip: string;
  /** What was installed last. It stays here when the catalogue has long retired it. */
  readonly os: OperatingSystem;
  readonly status: ServerStatus;
  readonly delivered: boolean;
  readonly password: string;
  /** From here on the password is shown for some hours. */
  readonly passwordSetAt: number;
  /** Counts installations: a new one has a new SSH host key, a new password and an empty disk. */
  readonly installation: number;
  readonly commitment: { readonly type: CommitmentType; readonly cancelled: boolean };
  readonly bandwidth: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletableAt: number;
  readonly deletionScheduled: boolean;
  /** Billing ends here. */
  readonly deletedAt?: number;
}

/** The user every mini is delivered with. */
export const SSH_USERNAME = 'm1';
/** Recorded in 2025 and 2026; it was 5900 in 2021. */
export const VNC_PORT = 59_010;
