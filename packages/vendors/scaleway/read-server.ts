import { Secret } from '@minifleet/secret';
import type { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import type { Image, Server } from '../vendor.ts';
import { passwordOf } from './password.ts';

/** Converts a server of the SDK. Only for responses to reads: responses to writes hide all secrets. */
export function readServer(server: Applesiliconv1alpha1.Server): Server {
  const password = passwordOf(server);
  const address = server.delivered && server.ip !== '' ? server.ip : undefined;
  const id = server.id.toLowerCase();
  return {
    id,
    zone: server.zone,
    name: server.name,
    type: server.type,
    image: server.os ? readImage(server.os) : NO_IMAGE,
    state: stateOf(server),
    stateWord: server.status,
    user: server.sshUsername,
    ...(address !== undefined && { address }),
    ...(address !== undefined && server.vncPort > 0 && { screen: `${address}:${server.vncPort}` }),
    ...(password !== undefined && { password: new Secret(`the password of server ${id}`, password) }),
    ...(server.createdAt && { orderedAt: server.createdAt.getTime() }),
    ...(server.deletableAt && { returnableAt: server.deletableAt.getTime() }),
  };
}

export const readImage = (os: Applesiliconv1alpha1.OS): Image => ({
  name: os.name,
  family: os.family,
  version: os.version,
  beta: os.isBeta,
});

/** For a server without an operating system, which the SDK allows; matches no image. */
const NO_IMAGE: Image = { name: 'none', family: 'none', version: '0', beta: false };

/** An unknown status counts as busy. `locked` is set by the vendor, and only its support can end it. */
function stateOf({ status, delivered }: Applesiliconv1alpha1.Server): Server['state'] {
  if (status === 'error' || status === 'locking' || status === 'locked') return 'broken';
  return status === 'ready' && delivered ? 'ready' : 'busy';
}
