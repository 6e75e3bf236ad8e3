import { CataloguedError } from '@minifleet/errors';
import type { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import { Errors } from '@scaleway/sdk-client';
import { VENDOR_SERVER_UNKNOWN } from '../errors.ts';
import type { Request } from '../outbound/outbound.ts';
import type { ServerRef } from '../vendor.ts';
import { allPages } from './all-pages.ts';
import { SCALEWAY } from './judge-failure.ts';
import type { Sdk } from './sdk.ts';

/** Context of one driver call. */
export interface ScalewayRequestContext {
  readonly name: string;
  readonly request: Request;
  readonly sdk: (signal: AbortSignal) => Sdk;
  /** Sent in every list call: without it the API refuses a key that is limited to one project (I23). */
  readonly projectId: string;
}

export const listServers = (
  { name, request, sdk, projectId }: ScalewayRequestContext,
  zone: string,
): Promise<readonly RawServer[]> =>
  allPages(name, async page => {
    const { servers, totalCount } = await request(signal =>
      sdk(signal).servers.listServers({ zone, projectId, ...page }),
    );
    return { items: servers, totalCount };
  });

export const listImages = (
  { name, request, sdk }: ScalewayRequestContext,
  zone: string,
  serverType: string,
): Promise<readonly RawImage[]> =>
  allPages(name, async page => {
    const { os, totalCount } = await request(signal => sdk(signal).servers.listOS({ zone, serverType, ...page }));
    return { items: os, totalCount };
  });

export const getServer = (call: ScalewayRequestContext, ref: ServerRef): Promise<RawServer> =>
  onServer(call, ref, sdk => sdk.servers.getServer({ zone: ref.zone, serverId: ref.id }));

type RawServer = Applesiliconv1alpha1.Server;
type RawImage = Applesiliconv1alpha1.OS;

/** Sends a request about one server; throws VENDOR_SERVER_UNKNOWN if the server does not exist. */
export async function onServer<T>(
  call: ScalewayRequestContext,
  ref: ServerRef,
  send: (sdk: Sdk) => Promise<T>,
): Promise<T> {
  try {
    return await call.request(signal => send(call.sdk(signal)));
  } catch (error) {
    if (!(await isGone(call, ref, causeOf(error)))) throw error;
    throw VENDOR_SERVER_UNKNOWN({ vendor: SCALEWAY, ...ref }, { cause: error });
  }
}

/**
 * The API answers 403 for a deleted server, because the policy finds no project for it (recorded 2025, 2026), and also
 * for any server if the key lost its permissions. Only the list distinguishes the two: a fleet must not be given up for a policy change.
 */
async function isGone(call: ScalewayRequestContext, { zone, id }: ServerRef, cause: unknown): Promise<boolean> {
  if (cause instanceof Errors.ResourceNotFoundError) return cause.resourceId === id;
  if (!(cause instanceof Errors.PermissionsDeniedError)) return false;
  return !(await listServers(call, zone)).some(server => server.id === id);
}

export const causeOf = (error: unknown): unknown => (error instanceof CataloguedError ? error.cause : undefined);
