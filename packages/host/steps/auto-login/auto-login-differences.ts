import type { FileInfo } from '../../host.ts';
import type { AutoLoginState } from './auto-login-state.ts';
import { decodePassword, isSealed } from './kcpassword.ts';

export interface AutoLoginWanted {
  readonly user: string;
  /** Undefined when nobody knows it. */
  readonly password: string | undefined;
}

const MODE = 0o600;

/** What only someone who knows the password can put right, in words that hold nothing of it. */
export function passwordDifferences({ user: told, content }: AutoLoginState, wanted: AutoLoginWanted): string[] {
  const { user, password } = wanted;
  const setting =
    told === user ? [] : [`auto-login is ${told === undefined ? 'off' : `for ${told}`}, wanted for ${user}`];
  if (content === undefined) return [...setting, 'kcpassword is missing'];
  if (isSealed(content)) return [...setting, 'kcpassword is sealed: the login window refused the password in it'];
  const same = password === undefined || decodePassword(content) === password;
  return same ? setting : [...setting, 'kcpassword holds another password than the given one'];
}

/** What can be put right without the password. */
export function otherDifferences({ info, session, loginWindowRuns }: AutoLoginState, user: string): string[] {
  const rights = info && hasWrongRights(info) ? [`kcpassword has ${rightsOf(info)}, wanted mode 0600 and owner 0`] : [];
  const window = session || loginWindowRuns ? [] : ['the login window is not running'];
  return [...rights, ...window, ...(session ? [] : [`${user} has no session at the screen`])];
}

export const hasWrongRights = (info: FileInfo): boolean => info.mode !== MODE || info.uid !== 0;

const rightsOf = ({ mode, uid }: FileInfo): string => `mode ${mode.toString(8).padStart(4, '0')} and owner ${uid}`;
