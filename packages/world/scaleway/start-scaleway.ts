import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { WorldDeps } from '../world-deps.ts';
import { catalogueRoutes } from './apple-silicon/catalogue-routes.ts';
import { serverRoutes } from './apple-silicon/server-routes.ts';
import { type Console, createConsole } from './console.ts';
import { createGateway, createRateLimit, PLACE } from './http/gateway.ts';
import { answerRequest, type ScalewayApi } from './http/scaleway-request.ts';

import { sshKeyRoutes } from './iam/ssh-key-routes.ts';
import {
  type ApiKey,
  createOrganization,
  type KeyOptions,
  type Organization,
  type ProjectOptions,
  projectNamed,
} from './model/account.ts';
import type { Catalogue } from './model/catalogue.ts';
import { defaultCatalogue } from './model/default-catalogue.ts';
import { createVendor, type Machines, type ScalewayVendor } from './vendor/scaleway-vendor.ts';
import { defaultSettings, type VendorSettings } from './vendor/settings.ts';

export interface ScalewayOptions {
  readonly deps: WorldDeps;
  readonly host?: string;
  readonly port?: number;
  readonly settings?: Partial<VendorSettings>;
  readonly catalogue?: Catalogue;
  /** Default: one project named `default`. Each project has a key whose policy covers only that project. */
  readonly projects?: readonly ProjectOptions[];
  /** Additional keys, for example a key of the whole organization. */
  readonly keys?: readonly KeyOptions[];
  readonly machines?: Machines;
  /** Returns the `ip` of the n-th server, counted from 1 (default: in 127.20.0.0/16, where a Mac can listen). */
  readonly address?: (number: number) => string;
}

/** Client configuration: the fields of a profile of the official SDK. */
export interface ScalewayCredentials {
  readonly apiURL: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly defaultProjectId: string;
  readonly defaultOrganizationId: string;
  readonly defaultZone: string;
}

export interface Scaleway {
  readonly url: string;
  readonly organization: Organization;
  /** Returns the credentials of the project's key, or of the given key. */
  apiFor(project?: string, key?: ApiKey): ScalewayCredentials;
  readonly console: Console;
  close(): Promise<void>;
}

export async function startScaleway(options: ScalewayOptions): Promise<Scaleway> {
  const { deps } = options;
  const chance = deps.chance.stream(PLACE);
  const organization = createOrganization(chance, options.projects ?? [{ name: 'default' }], options.keys ?? []);
  const vendor = createVendor({
    world: deps,
    settings: { ...defaultSettings, ...options.settings },
    catalogue: options.catalogue ?? defaultCatalogue,
    machines: options.machines ?? {},
    address: options.address ?? loopbackAddress,
  });
  const api = apiOf(vendor, organization);
  const stop = new AbortController();
  const server = createGateway(deps, request => answerRequest(api, request), stop.signal);
  const host = options.host ?? '127.0.0.1';
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;

  return {
    url,
    organization,
    apiFor: (project, key) => credentials({ url, organization, zone: vendor.settings.zones[0] ?? '' }, project, key),
    console: createConsole(deps, vendor, organization),
    async close() {
      stop.abort();
      vendor.transitions.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function apiOf(vendor: ScalewayVendor, organization: Organization): ScalewayApi {
  const { clock, journal } = vendor.world;
  const keys = { keys: vendor.ledger.sshKeys, organization, clock, chance: vendor.chance.stream('ssh keys') };
  return {
    routes: [...serverRoutes({ vendor, organization, clock }), ...catalogueRoutes(vendor), ...sshKeyRoutes(keys)],
    keys: organization.keys,
    rateLimit: createRateLimit(clock, vendor.settings.rateLimit),
    journal,
  };
}

const loopbackAddress = (number: number): string => `127.20.${number >> 8}.${number & 0xff}`;

function credentials(
  at: { readonly url: string; readonly organization: Organization; readonly zone: string },
  projectName?: string,
  requested?: ApiKey,
): ScalewayCredentials {
  const { organization } = at;
  const project = projectName ? projectNamed(organization.projects, projectName) : organization.projects[0];
  const key = requested ?? organization.keys.findLast(candidate => candidate.projectId === project?.id);
  if (!project || !key) throw new Error('the organization has no project');
  return {
    apiURL: at.url,
    accessKey: key.accessKey,
    secretKey: key.secretKey,
    defaultProjectId: project.id,
    defaultOrganizationId: organization.id,
    defaultZone: at.zone,
  };
}
