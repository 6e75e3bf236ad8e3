import { Secret } from '@minifleet/secret';
import type { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import type { Image, Server } from '../vendor.ts';
import { passwordOf } from './password.ts';

/** A server as the SDK gives it, in our words. Only for answers to reads: those to writes hide every secret. */
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

/** The SDK allows a server without a system; nothing matches this one. */
const NO_IMAGE: Image = { name: 'none', family: 'none', version: '0', beta: false };

/** A status we do not know yet is waited for. `locked` is the vendor’s doing: only its support ends it. */
function stateOf({ status, delivered }: Applesiliconv1alpha1.Server): Server['state'] {
  if (status === 'error' || status === 'locking' || status === 'locked') return 'broken';
  return status === 'ready' && delivered ? 'ready' : 'busy';
}
