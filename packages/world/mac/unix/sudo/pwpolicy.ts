import type { Program } from '../../program.ts';
import { findUser } from '../accounts.ts';
import { refuseForm } from '../options.ts';
import { isLocked } from './password.ts';

/** pwpolicy -u <user> -authentication-allowed: whether a password would be looked at; anyone may ask, and it counts as no try. */
export const pwpolicy: Program = run => {
  const [, flag, name = '', action = ''] = run.argv;
  if (flag !== '-u' || !/^-?authentication-allowed$/.test(action)) return refuseForm(run);
  if (!findUser(name)) {
    run.err('Error: The record could not be found.\n');
    return 1;
  }
  run.out(
    isLocked(run.mac)
      ? `User <${name}> is not allowed to authenticate: Failed global policy "minutesUntilFailedLoginReset"\n`
      : `Policy allows user <${name}> to authenticate\n`,
  );
  return 0;
};
