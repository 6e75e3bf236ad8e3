import type { GuestId } from './guest.ts';

const UID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const ATTEMPT = '0|[1-9][0-9]{0,8}';
const KEY = new RegExp(`^(${UID})-(${ATTEMPT})$`);
const PREFIX = 'pod-';

/** `<uid>-<attempt>`: the guest's folder name and map key. */
export function guestKey({ uid, attempt }: GuestId): string {
  const key = `${uid}-${attempt}`;
  // A key that cannot be parsed back could never be recognised and removed.
  if (!KEY.test(key)) throw new Error(`invalid guest key ${JSON.stringify(key)}: expected <Pod UID>-<attempt>`);
  return key;
}

export function parseGuestKey(key: string): GuestId | undefined {
  const [, uid, attempt] = KEY.exec(key) ?? [];
  return uid === undefined ? undefined : { uid, attempt: Number(attempt) };
}

/**
 * The VM's name, which marks ownership: a VM whose name `parseGuestName` rejects is foreign and never stopped or
 * deleted.
 */
export const guestName = (id: GuestId): string => `${PREFIX}${guestKey(id)}`;

export const parseGuestName = (name: string): GuestId | undefined =>
  name.startsWith(PREFIX) ? parseGuestKey(name.slice(PREFIX.length)) : undefined;
