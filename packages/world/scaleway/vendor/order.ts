import type { OperatingSystem } from '../model/operating-system.ts';
import type { CommitmentType, Server } from '../model/server.ts';
import { deletableFrom } from '../model/server-transition.ts';
import type { ServerType } from '../model/server-type.ts';

/** A Mac as it is asked for, checked against the catalogue. */
export interface Order {
  readonly zone: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly name: string;
  readonly type: ServerType;
  readonly os: OperatingSystem;
  readonly commitment: CommitmentType;
  readonly bandwidth: number;
}

export interface Allotted {
  readonly id: string;
  readonly ip: string;
  readonly password: string;
  readonly now: number;
}

/** The address is known at once, long before anyone answers there (recorded). */
export const orderedServer = (order: Order, { id, ip, password, now }: Allotted): Server => ({
  id,
  zone: order.zone,
  projectId: order.projectId,
  organizationId: order.organizationId,
  name: order.name,
  type: order.type.name,
  ip,
  os: order.os,
  status: 'starting',
  delivered: false,
  password,
  passwordSetAt: now,
  installation: 1,
  // A server ordered for 24 hours shows the commitment `none` (recorded).
  commitment: { type: order.commitment === 'duration_24h' ? 'none' : order.commitment, cancelled: false },
  bandwidth: order.bandwidth,
  createdAt: now,
  updatedAt: now,
  deletableAt: deletableFrom(now, order.commitment),
  deletionScheduled: false,
});
