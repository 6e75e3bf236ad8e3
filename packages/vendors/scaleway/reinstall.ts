import { VENDOR_IMAGE_NOT_OFFERED } from '../errors.ts';
import type { ServerRef } from '../vendor.ts';
import { getServer, listImages, onServer, type ScalewayRequestContext } from './api.ts';
import { SCALEWAY } from './judge-failure.ts';
import { unlessUnderWay } from './under-way.ts';

/** Looks up the image each time before it changes anything, because images are retired without notice (I31). */
export async function reinstall(
  call: ScalewayRequestContext,
  ref: ServerRef,
  image: string | undefined,
): Promise<void> {
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
