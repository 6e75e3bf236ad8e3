import { type Duration, minutes } from '@minifleet/clock';
import type { Mac, Program, Run, User } from '../../mac.ts';
import { refuseForm } from '../getopt.ts';
import { findUser } from '../ownership.ts';

/** Counter of wrong passwords in the directory service. */
interface PasswordAttempts {
  wrong: number;
  lockedUntil: number;
  password: string | undefined;
}

/**
 * Derived (facts host-bootstrap 3.2 only say that retries lock the account): number of consecutive wrong passwords, and
 * duration of the lock.
 */
export const WRONG_BEFORE_LOCK = 5;
export const LOCKED_FOR: Duration = minutes(15);

const KEY = Symbol('password');

const triesOf = (mac: Mac): PasswordAttempts =>
  mac.state(KEY, () => ({ wrong: 0, lockedUntil: 0, password: undefined }));

/**
 * Returns true for the user's password. A locked account also rejects the correct one, and each attempt restarts the
 * lock (I34).
 */
export function checkPassword(mac: Mac, user: User, password: string): boolean {
  const tries = triesOf(mac);
  const { clock, journal } = mac.around;
  const now = clock.now();
  const right = user.name === 'm1' && password === (tries.password ?? mac.options.password);
  if (tries.lockedUntil > now) {
    tries.lockedUntil = now + LOCKED_FOR;
    journal.add(`mac/${mac.options.name}`, 'account locked', user.name);
    return false;
  }
  if (right) {
    tries.wrong = 0;
    return true;
  }
  tries.wrong += 1;
  if (tries.wrong >= WRONG_BEFORE_LOCK) {
    tries.wrong = 0;
    tries.lockedUntil = now + LOCKED_FOR;
    journal.add(`mac/${mac.options.name}`, 'account locked', user.name);
  }
  return false;
}

/**
 * Returns true while the account rejects every password. This check is not an attempt and does not restart the lock.
 */
const isLocked = (mac: Mac): boolean => triesOf(mac).lockedUntil > mac.around.clock.now();

/** Resets the counter, as an administrator can. */
function unlock(mac: Mac): void {
  Object.assign(triesOf(mac), { wrong: 0, lockedUntil: 0 });
}

/** Simulates a password change on the Mac: the vendor shows a stale password from then on. */
export function changePassword(mac: Mac, password: string): void {
  triesOf(mac).password = password;
}

/** Password that the login window and the keychain compare with. */
export const currentPassword = (mac: Mac): string => triesOf(mac).password ?? mac.options.password;

/**
 * pwpolicy -u <user> -authentication-allowed: reports whether a password would be checked; permitted for all users, and
 * not an attempt. pwpolicy -u <user> -enableuser: root ends a lock (that it ends this one is derived).
 */
export const pwpolicy: Program = run => {
  const [, flag, name = '', action = ''] = run.argv;
  const asked = /^-?(authentication-allowed|enableuser)$/.exec(action)?.[1];
  if (flag !== '-u' || asked === undefined) return refuseForm(run);
  if (!findUser(name)) {
    run.err('Error: The record could not be found.\n');
    return 1;
  }
  return asked === 'enableuser' ? enable(run, name) : answer(run, name);
};

function answer(run: Run, name: string): number {
  run.out(
    isLocked(run.mac)
      ? `User <${name}> is not allowed to authenticate: Failed global policy "minutesUntilFailedLoginReset"\n`
      : `Policy allows user <${name}> to authenticate\n`,
  );
  return 0;
}

function enable(run: Run, name: string): number {
  if (run.user.uid !== 0) {
    run.err('Error: Credentials could not be verified, username or password is invalid.\n');
    return 1;
  }
  unlock(run.mac);
  run.out(`Enabling account for user <${name}>\n`);
  return 0;
}
