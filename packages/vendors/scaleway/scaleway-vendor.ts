import type { Clock } from '@minifleet/clock';
import { Errors } from '@scaleway/sdk-client';
import { VENDOR_IMAGE_NOT_OFFERED, VENDOR_REJECTED, VENDOR_SERVER_UNKNOWN } from '../errors.ts';
import { createOutbound } from '../outbound/outbound.ts';
import { type Patience, patience } from '../outbound/patience.ts';
import { planKey } from '../plan-key.ts';
import type { CallOptions, FleetKey, RegisteredKey, ServerRef, Vendor } from '../vendor.ts';
import { allPages } from './all-pages.ts';
import { getServer, listImages, listServers, onServer, type ScalewayRequestContext } from './api.ts';
import { judgeFailure, SCALEWAY } from './judge-failure.ts';
import { readImage, readServer } from './read-server.ts';
import { openSdk, type ScalewayCredentials } from './sdk.ts';
import { unlessUnderWay } from './under-way.ts';

export interface ScalewayOptions extends ScalewayCredentials {
  readonly clock: Clock;
  readonly patience?: Partial<Patience>;
}

/**
 * Driver for rented Mac minis of Scaleway, based on its official SDK. Create one per API key: it limits the request rate, and its
 * circuit breaker counts all calls. Throws VENDOR_REFUSED at once if the credentials are malformed.
 */
export function scalewayVendor(options: ScalewayOptions): Vendor {
  const { clock, projectId } = options;
  const sdk = openSdk(options);
  const outbound = createOutbound({
    vendor: SCALEWAY,
    clock,
    judge: judgeFailure,
    patience: { ...patience, ...options.patience },
  });
  const make = <T>(
    name: string,
    settings: CallOptions | undefined,
    body: (call: ScalewayRequestContext) => Promise<T>,
  ): Promise<T> => outbound.call(name, settings?.signal, request => body({ name, request, sdk, projectId }));

  return {
    name: SCALEWAY,
    can: { reinstall: true, reboot: true },
    servers: (zone, settings) =>
      make('servers', settings, async call => (await listServers(call, zone)).map(readServer)),
    server: (ref, settings) =>
      make('server', settings, call => getServer(call, ref).then(readServer).catch(undefinedIfUnknown)),
    rename: (ref, name, settings) =>
      make('rename', settings, async call => {
        await onServer(call, ref, api => api.servers.updateServer({ zone: ref.zone, serverId: ref.id, name }));
      }),
    reinstall: (ref, image, settings) => make('reinstall', settings, call => reinstall(call, ref, image)),
    reboot: (ref, settings) =>
      make('reboot', settings, call =>
        unlessUnderWay(call, ref, ['rebooting', 'reinstalling', 'starting'], () =>
          onServer(call, ref, api => api.servers.rebootServer({ zone: ref.zone, serverId: ref.id })),
        ),
      ),
    images: (zone, type, settings) =>
      make('images', settings, async call => (await listImages(call, zone, type)).map(readImage)),
    registerKey: (key, settings) => make('registerKey', settings, call => registerKey(call, key)),
  };
}

function undefinedIfUnknown(error: { readonly code?: string }): undefined {
  if (error.code !== VENDOR_SERVER_UNKNOWN.code) throw error;
}

/** Looks up the image each time before it changes anything, because images are retired without notice (I31). */
async function reinstall(call: ScalewayRequestContext, ref: ServerRef, image: string | undefined): Promise<void> {
  const osId = image === undefined ? undefined : await idOfImage(call, ref, image);
  const wanted = { zone: ref.zone, serverId: ref.id, ...(osId !== undefined && { osId }) };
  await unlessUnderWay(call, ref, ['reinstalling'], () =>
    onServer(call, ref, sdk => sdk.servers.reinstallServer(wanted)),
  );
}

async function idOfImage(call: ScalewayRequestContext, ref: ServerRef, image: string): Promise<string> {
  const { type } = await getServer(call, ref);
  const images = await listImages(call, ref.zone, type);
  const found = images.find(({ name }) => name === image);
  if (found) return found.id;
  const offered = images.map(({ name }) => name).join(', ') || 'nothing';
  throw VENDOR_IMAGE_NOT_OFFERED({ vendor: SCALEWAY, image, type, zone: ref.zone, offered });
}

/**
 * Lists the keys, creates the key if necessary, and only then deletes stale keys: a host that is installed in between gets both keys
 * instead of none.
 */
async function registerKey(
  { name, request, sdk, projectId }: ScalewayRequestContext,
  key: FleetKey,
): Promise<RegisteredKey> {
  const keys = await allPages(name, async page => {
    const { sshKeys, totalCount } = await request(signal => sdk(signal).iam.listSSHKeys({ projectId, ...page }));
    return { items: sshKeys, totalCount };
  });
  const { present, stale, outcome } = planKey(key, keys);
  if (present?.disabled) {
    const why = `SSH key ${present.name} is the same key and is disabled; enable or delete it in the vendor console`;
    throw VENDOR_REJECTED({ vendor: SCALEWAY, call: name, why });
  }
  // Not retried, because a retry could create a second key. The next call finds the first one.
  const { id } =
    present ?? (await request(signal => sdk(signal).iam.createSSHKey({ projectId, ...key }), { repeatable: false }));
  for (const { id: sshKeyId } of stale) {
    await request(signal => sdk(signal).iam.deleteSSHKey({ sshKeyId }).catch(unlessGone));
  }
  return { id, outcome };
}

function unlessGone(error: unknown): void {
  if (!(error instanceof Errors.ResourceNotFoundError)) throw error;
}
