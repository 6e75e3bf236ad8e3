import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Account, Accounts } from '../accounts.ts';
import type { AppOptions, Permissions } from '../options.ts';

export interface Installation {
  readonly id: number;
  readonly app: App;
  readonly account: Account;
  readonly permissions: Permissions;
  /** The owner can suspend it at any time: tokens are then refused. */
  suspended: boolean;
}

export interface App {
  readonly id: number;
  readonly clientId: string;
  readonly slug: string;
  readonly publicKey: KeyObject;
  readonly installations: readonly Installation[];
}

/** What an App for a fleet is granted (S3): Organization → Self-hosted runners: read and write. */
const FLEET_PERMISSIONS: Permissions = { organization_self_hosted_runners: 'write', metadata: 'read' };

export function createApp(options: AppOptions, accounts: Accounts): App {
  const installations: Installation[] = [];
  const app: App = {
    id: options.id,
    clientId: options.clientId ?? `Iv23li${String(options.id).padStart(14, '0')}`,
    slug: options.slug ?? `app-${options.id}`,
    publicKey: publicHalf(options.key),
    installations,
  };
  for (const { id, account: login, permissions = FLEET_PERMISSIONS, suspended = false } of options.installations) {
    const account = accounts.findAccount(login);
    if (!account) throw new Error(`App ${options.id} is installed on ${login}, which is no organization of this forge`);
    installations.push({ id, app, account, permissions, suspended });
  }
  return app;
}

const publicHalf = (key: string | KeyObject): KeyObject =>
  typeof key !== 'string' && key.type === 'public' ? key : createPublicKey(key);
