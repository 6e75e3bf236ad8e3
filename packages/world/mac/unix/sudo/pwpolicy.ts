import type { Program, Run } from '../../program.ts';
import { findUser } from '../accounts.ts';
import { refuseForm } from '../options.ts';
import { isLocked, unlock } from './password.ts';

/**
 * pwpolicy -u <user> -authentication-allowed: whether a password would be looked at; anyone may ask, and it counts as no try.
 * pwpolicy -u <user> -enableuser: root ends a lock (that it ends this one is derived).
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
