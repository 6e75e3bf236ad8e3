import type { GuestId } from './guest.ts';

const UID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const ATTEMPT = '0|[1-9][0-9]{0,8}';
const KEY = new RegExp(`^(${UID})-(${ATTEMPT})$`);
const PREFIX = 'pod-';

/** `<uid>-<attempt>`: the guest's folder, and its key wherever guests are kept by key. */
export function guestKey({ uid, attempt }: GuestId): string {
  const key = `${uid}-${attempt}`;
  // What we could not read back as ours, we could never remove again.
  if (!KEY.test(key)) throw new Error(`a guest needs a Pod UID and an attempt from 0, not ${JSON.stringify(key)}`);
  return key;
}

export function parseGuestKey(key: string): GuestId | undefined {
  const [, uid, attempt] = KEY.exec(key) ?? [];
  return uid === undefined ? undefined : { uid, attempt: Number(attempt) };
}

/** The VM's name. Ownership is in it: what `parseGuestName` does not read is not ours, and is never stopped or deleted. */
export const guestName = (id: GuestId): string => `${PREFIX}${guestKey(id)}`;

export const parseGuestName = (name: string): GuestId | undefined =>
  name.startsWith(PREFIX) ? parseGuestKey(name.slice(PREFIX.length)) : undefined;
