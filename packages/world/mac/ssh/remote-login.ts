import type { Mac } from '../mac.ts';

/** Whether launchd listens for SSH: `launchctl bootout system/com.openssh.sshd` turns it off, `bootstrap` on. */
export interface RemoteLogin {
  on: boolean;
}

const KEY = Symbol('remote login');

export const remoteLoginOf = (mac: Mac): RemoteLogin => mac.state(KEY, () => ({ on: true }));
