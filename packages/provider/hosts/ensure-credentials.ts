import { hostReasons } from '@minifleet/api';
import { CataloguedError } from '@minifleet/errors';
import { type ConditionNote, keyString, setCondition } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { FleetSshKey, HostAccess } from '../credentials/credentials.ts';
import { credentialsKey } from '../credentials/host-credential-secret.ts';
import type { HandlerDeps, HostScope } from './host-scope.ts';
import { failureIn, journalOf } from './journal.ts';
import { servesAlready } from './taken-over.ts';

export interface HostLogin {
  readonly access: HostAccess;
  readonly fleetKey: FleetSshKey;
}

/** Key and password of a host, reported in CredentialsReady. Undefined if a password is needed and missing. */
export async function ensureCredentials(
  scope: HostScope,
  server: Server,
  { credentials, clock }: HandlerDeps,
): Promise<HostLogin | undefined> {
  const { host, vendor } = scope;
  const note = (condition: Omit<ConditionNote, 'type'>): void =>
    setCondition(host, { type: 'CredentialsReady', ...condition }, clock);
  try {
    // A host that rejected the key: the vendor may have lost it.
    const rejected = failureIn(journalOf(host.status))?.reason === 'HostKeyRefused';
    const fleetKey = await credentials.fleetKey(host, { rejected });
    const access = await credentials.access(host, server);
    // The first job leaves sudo without a password, as that of the previous system does, and an owned Mac was prepared by hand.
    const serves = host.status?.servedSince !== undefined || servesAlready(scope);
    const isPasswordNeeded = !serves && vendor?.can.reinstall === true;
    const judged = judgeAccess(access, { secret: keyString(credentialsKey(host)), isPasswordNeeded });
    note(judged);
    return judged.status === 'True' ? { access, fleetKey } : undefined;
  } catch (error) {
    if (error instanceof CataloguedError) note({ status: 'False', reason: error.reason, message: error.message });
    throw error;
  }
}

interface AccessView {
  readonly secret: string;
  readonly isPasswordNeeded: boolean;
}

export function judgeAccess(
  { user, password, passwordRejected }: Pick<HostAccess, 'user' | 'password' | 'passwordRejected'>,
  { secret, isPasswordNeeded }: AccessView,
): Omit<ConditionNote, 'type'> {
  const place = `the key sudo-password of the Secret ${secret}`;
  const ready = (message: string) => ({ status: 'True', reason: hostReasons.CredentialsReady, message }) as const;
  if (passwordRejected) {
    const message = `the host rejected the password and the provider does not try it again; write the correct one to ${place}`;
    return isPasswordNeeded ? { status: 'False', reason: hostReasons.PasswordRejected, message } : ready(message);
  }
  if (password || !isPasswordNeeded) return ready(`user ${user}`);
  const message = `the vendor returns no host password; write it to ${place}, or reinstall the host`;
  return { status: 'False', reason: hostReasons.PasswordMissing, message };
}
