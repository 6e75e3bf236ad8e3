import { authorize, count, flag, object, type ScalewayCall, text } from '../http/call.ts';
import { PLACE } from '../http/gateway.ts';
import { invalidArgument, type JsonObject, notFound, outOfStock, quotaExceeded } from '../http/scaleway-api-error.ts';
import type { Organization } from '../model/account.ts';
import {
  type Catalogue,
  defaultImage,
  findImage,
  findServerType,
  type OperatingSystem,
  type ServerType,
} from '../model/catalogue.ts';

import type { CommitmentType } from '../model/server.ts';

import type { ServerOrder } from '../vendor/order-server.ts';
import type { ScalewayVendor } from '../vendor/scaleway-vendor.ts';
import { zoneOf } from './find-server.ts';

export const orderFields = [
  'name',
  'project_id',
  'type',
  'os_id',
  'commitment_type',
  'public_bandwidth_bps',
  'enable_vpc',
  'runner_configuration',
] as const;

/** Reads and checks an order for one Mac per name. Either all of them are available or none is ordered. */
export function readOrders(
  vendor: ScalewayVendor,
  organization: Organization,
  call: ScalewayCall,
  names: readonly string[],
): ServerOrder[] {
  const { catalogue } = vendor.ledger;
  const { body } = call;
  const projectId = projectFor(organization, call);
  const type = findServerType(catalogue, text(body, 'type') ?? '');
  if (!type) throw invalidArgument('type', 'constraint', 'unknown server type');
  refuseUnmodelled(vendor, body);
  const order = {
    zone: zoneOf(vendor, call),
    projectId,
    organizationId: organization.id,
    type,
    os: readImage(catalogue, type, text(body, 'os_id')),
    commitment: readCommitment(body) ?? 'duration_24h',
    bandwidth: readBandwidth(type, body) ?? type.bandwidths[0] ?? 0,
  };
  checkQuota(vendor, organization, projectId, names.length);
  if (type.units < names.length) throw outOfStock(type.name);
  return names.map(name => ({ ...order, name }));
}

/** Rejects private networks and preinstalled runners, which the real API supports and no program here uses. */
function refuseUnmodelled(vendor: ScalewayVendor, body: JsonObject): void {
  const requested = [
    ...(flag(body, 'enable_vpc') ? ['enable_vpc'] : []),
    ...(object(body, 'runner_configuration') ? ['runner_configuration'] : []),
  ];
  for (const field of requested) {
    vendor.world.journal.unmodelled(PLACE, `create server with ${field}`);
    throw invalidArgument(field, 'constraint', 'not available');
  }
}

/** Returns the project of an order. Without a project, a key of the organization orders into the default project. */
function projectFor(organization: Organization, call: ScalewayCall): string {
  const named = text(call.body, 'project_id');
  const fallback = call.key.projectId === undefined ? organization.projects[0]?.id : undefined;
  authorize(call.key, 'create', 'server', named ?? fallback);
  const project = organization.projects.find(candidate => candidate.id === (named ?? fallback));
  if (!project) throw notFound('project', named ?? '');
  return project.id;
}

function checkQuota(vendor: ScalewayVendor, organization: Organization, projectId: string, requested: number): void {
  const quota = organization.projects.find(project => project.id === projectId)?.quota;
  const current = vendor.ledger.servers().filter(server => server.projectId === projectId).length;
  if (quota !== undefined && current + requested > quota) throw quotaExceeded(projectId, quota, current);
}

/** Returns the image with the id, or the default of the server type without an id. Throws for retired images and for other hardware. */
export function readImage(catalogue: Catalogue, type: ServerType, id: string | undefined): OperatingSystem {
  if (id === undefined || id === '') {
    const os = defaultImage(catalogue, type);
    if (!os) throw notFound('os', `default of ${type.name}`);
    return os;
  }
  const os = findImage(catalogue, id);
  if (!os) throw notFound('os', id);
  if (!os.serverTypes.includes(type.name)) throw invalidArgument('os_id', 'constraint', `not for ${type.name}`);
  return os;
}

export function readCommitment(body: JsonObject): CommitmentType | undefined {
  const given = text(body, 'commitment_type');
  if (given === undefined) return undefined;
  if (given === 'duration_24h' || given === 'renewed_monthly' || given === 'none') return given;
  throw invalidArgument('commitment_type', 'constraint');
}

/** Returns undefined for 0, which generated clients send for an unset value. */
export function readBandwidth(type: ServerType, body: JsonObject): number | undefined {
  const given = count(body, 'public_bandwidth_bps');
  if (given === undefined || given === 0) return undefined;
  if (!type.bandwidths.includes(given)) throw invalidArgument('public_bandwidth_bps', 'constraint');
  return given;
}
