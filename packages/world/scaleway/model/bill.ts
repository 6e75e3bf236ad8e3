import type { Catalogue } from './catalogue.ts';
import { findServerType } from './catalogue.ts';
import type { Server } from './server.ts';

export interface BillLine {
  readonly serverId: string;
  readonly name: string;
  readonly type: string;
  readonly projectId: string;
  /** Whole hours, at least the day Apple's licence asks for. */
  readonly hours: number;
  readonly euros: number;
  readonly running: boolean;
}

const HOUR = 60 * 60_000;
const LEAST_HOURS = 24;

/** What each Mac has cost: it runs from the order until the vendor has it back, whoever believes what in between. */
export const bill = (servers: Iterable<Server>, catalogue: Catalogue, now: number): BillLine[] =>
  [...servers].map(server => {
    const hours = Math.max(LEAST_HOURS, Math.ceil(((server.deletedAt ?? now) - server.createdAt) / HOUR));
    const price = findServerType(catalogue, server.type)?.hourlyPrice ?? 0;
    return {
      serverId: server.id,
      name: server.name,
      type: server.type,
      projectId: server.projectId,
      hours,
      euros: Math.round(hours * price * 100) / 100,
      running: server.deletedAt === undefined,
    };
  });
