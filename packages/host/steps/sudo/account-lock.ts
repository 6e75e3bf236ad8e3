import type { HostView, Ran } from '../../host.ts';
import { HOST_ACCOUNT_LOCKED } from './errors.ts';

/** Asks whether macOS would look at a password of this account at all: no try, so it never prolongs a lock. */
export const lookForLock = (host: HostView, user: string): Promise<Ran> =>
  host.look(['/usr/bin/pwpolicy', '-u', user, '-authentication-allowed']);

/** Why the account is refused, in macOS's words; undefined when it is not, or when nobody can say. */
export function lockReason({ stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>): string | undefined {
  const words = `${stdout}\n${stderr}`;
  return (
    /is not allowed to authenticate:? *(.*)/.exec(words)?.[1] ?? /account is (?:disabled|locked).*/.exec(words)?.[0]
  );
}

/** Throws when the account is locked: then not even the right password may be tried. */
export function refuseIfLocked(host: HostView, user: string, answer: Ran): void {
  const why = lockReason(answer);
  if (why !== undefined) throw HOST_ACCOUNT_LOCKED({ user, address: host.address, why: why || 'no reason given' });
}
