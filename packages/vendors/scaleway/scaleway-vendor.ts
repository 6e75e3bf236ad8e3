import type { Clock } from '@minifleet/clock';
import { VENDOR_SERVER_UNKNOWN } from '../errors.ts';
import { createOutbound } from '../outbound/outbound.ts';
import { type Patience, patience } from '../outbound/patience.ts';
import type { CallOptions, Vendor } from '../vendor.ts';
import { getServer, listImages, listServers, onServer, type ScalewayRequestContext } from './api.ts';
import { judgeFailure, SCALEWAY } from './judge-failure.ts';
import { readImage, readServer } from './read-server.ts';
import { registerKey } from './register-key.ts';
import { reinstall } from './reinstall.ts';
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
