/** Who runs something. */
export interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly group: string;
  readonly home: string;
}

export const root: User = { name: 'root', uid: 0, gid: 0, group: 'wheel', home: '/var/root' };

/** The vendor's user: an administrator, as every mini is delivered with. */
export const m1: User = { name: 'm1', uid: 501, gid: 20, group: 'staff', home: '/Users/m1' };
