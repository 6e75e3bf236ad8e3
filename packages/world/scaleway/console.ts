import { type Duration, minutes } from '@minifleet/clock';
import type { WorldDeps } from '../world-deps.ts';
import type { SshKey } from './iam/ssh-key-routes.ts';
import { type Organization, projectNamed } from './model/account.ts';
import {
  type Catalogue,
  changeStock,
  defaultImage,
  findServerType,
  type OperatingSystem,
  publishImage,
  retireImage,
} from './model/catalogue.ts';

import type { CommitmentType, Server, ServerStatus } from './model/server.ts';
import { withStatus } from './model/server-transition.ts';
import { addDeliveredServer, type ServerOrder } from './vendor/order-server.ts';

import type { ScalewayVendor } from './vendor/scaleway-vendor.ts';

interface BillLine {
  readonly serverId: string;
  readonly name: string;
  readonly type: string;
  readonly projectId: string;
  /** Whole hours, at least the 24 that Apple's licence requires. */
  readonly hours: number;
  readonly euros: number;
  readonly running: boolean;
}

const HOUR = 60 * 60_000;
const LEAST_HOURS = 24;

/** Computes the cost of each Mac, from its order until it is deleted at the vendor, whatever the operator's records say. */
const bill = (servers: Iterable<Server>, catalogue: Catalogue, now: number): BillLine[] =>
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

/** Manual actions of an operator or the vendor, and state for tests to inspect. */
export interface Console {
  servers(): readonly Server[];
  /** Returns the server with the id or name. Throws unless there is exactly one. */
  server(idOrName: string): Server;
  sshKeys(): readonly SshKey[];
  catalogue(): Catalogue;
  /** Returns one line for every Mac ever ordered, up to now. */
  bill(): readonly BillLine[];
  /** Adds a Mac that was ordered and delivered earlier. Pools are created this way. */
  addServer(options: AddServerOptions): Promise<Server>;
  retireImage(name: string): void;
  publishImage(image: OperatingSystem, defaultFor?: readonly string[]): void;
  setStock(type: string, units: number): void;
  /** Sets any status: `locked`, `error`, `busy`, `updating`. */
  setStatus(id: string, status: ServerStatus): void;
}

interface AddServerOptions {
  readonly name: string;
  readonly type?: string;
  /** Project name (default: the first project). */
  readonly project?: string;
  readonly zone?: string;
  /** Image name (default: the default of the server type). */
  readonly image?: string;
  /** Default: two days, so that the server is deletable and its password sealed. */
  readonly age?: Duration;
  readonly commitment?: CommitmentType;
}

export function createConsole({ clock }: WorldDeps, vendor: ScalewayVendor, organization: Organization): Console {
  const { ledger } = vendor;
  return {
    servers: () => ledger.servers(),
    server: idOrName => onlyOne(ledger.servers(), idOrName),
    sshKeys: () => [...ledger.sshKeys.values()],
    catalogue: () => ledger.catalogue,
    bill: () => bill(ledger.everyServer(), ledger.catalogue, clock.now()),
    addServer: options =>
      addDeliveredServer(
        vendor,
        orderOf(options, vendor, organization),
        clock.now() - (options.age ?? minutes(2 * 24 * 60)),
      ),
    retireImage(name) {
      ledger.catalogue = retireImage(ledger.catalogue, name);
    },
    publishImage(image, defaultFor) {
      ledger.catalogue = publishImage(ledger.catalogue, image, defaultFor);
    },
    setStock(type, units) {
      ledger.catalogue = changeStock(ledger.catalogue, type, () => units);
    },
    setStatus: (id, status) => void ledger.put(withStatus(onlyOne(ledger.servers(), id), status, clock.now())),
  };
}

function onlyOne(servers: readonly Server[], idOrName: string): Server {
  const [server, ...others] = servers.filter(({ id, name }) => id === idOrName || name === idOrName);
  if (!server || others.length > 0)
    throw new Error(`${others.length + (server ? 1 : 0)} servers have the id or name ${idOrName}`);
  return server;
}

function orderOf(options: AddServerOptions, vendor: ScalewayVendor, organization: Organization): ServerOrder {
  const { catalogue } = vendor.ledger;
  const type = findServerType(catalogue, options.type ?? 'M2-L');
  if (!type) throw new Error(`simulated Scaleway: unknown server type ${options.type}`);
  const os = options.image
    ? catalogue.images.find(image => image.name === options.image)
    : defaultImage(catalogue, type);
  const project = options.project ? projectNamed(organization.projects, options.project) : organization.projects[0];
  if (!os || !project) throw new Error(`simulated Scaleway: unknown image ${options.image}, or no project`);
  return {
    zone: options.zone ?? vendor.settings.zones[0] ?? '',
    projectId: project.id,
    organizationId: organization.id,
    name: options.name,
    type,
    os,
    commitment: options.commitment ?? 'duration_24h',
    bandwidth: type.bandwidths[0] ?? 0,
  };
}
