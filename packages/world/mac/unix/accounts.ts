import { m1, root, type User } from '../user.ts';

const daemon: User = { name: 'daemon', uid: 1, gid: 1, group: 'daemon', home: '/var/root' };
const mdns: User = { name: '_mdnsresponder', uid: 65, gid: 65, group: '_mdnsresponder', home: '/var/empty' };
const nobody: User = { name: 'nobody', uid: 4_294_967_294, gid: 4_294_967_294, group: 'nobody', home: '/var/empty' };

/** The accounts of a delivered mini; none can be added here. */
const users: readonly User[] = [root, m1, daemon, mdns, nobody];

const groups: Readonly<Record<string, number>> = {
  wheel: 0,
  daemon: 1,
  staff: 20,
  admin: 80,
  everyone: 12,
  _mdnsresponder: 65,
  nobody: nobody.gid,
};

export const findUser = (nameOrUid: string | number): User | undefined =>
  users.find(user => user.name === nameOrUid || String(user.uid) === String(nameOrUid));

export const userName = (uid: number): string => findUser(uid)?.name ?? String(uid);

export const groupName = (gid: number): string =>
  Object.entries(groups).find(([, id]) => id === gid)?.[0] ?? String(gid);

export const findGroup = (nameOrGid: string): number | undefined =>
  groups[nameOrGid] ?? (/^\d+$/.test(nameOrGid) ? Number(nameOrGid) : undefined);

export const isAdministrator = (user: User): boolean => user.uid === 0 || user.name === m1.name;
