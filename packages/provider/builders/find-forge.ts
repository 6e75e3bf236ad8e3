import type { GhActionsRunner } from '@minifleet/api';
import type { Forge, Resolver } from '@minifleet/forges';
import { type Client, keyString, secrets } from '@minifleet/kube';
import { apiTroubleAs } from '../credentials/api-trouble.ts';
import { BUILDER_SECRET_MISSING, BUILDER_SECRET_NOT_NAMED, BUILDER_SECRET_UNAVAILABLE } from './errors.ts';

export interface ForgeFinder {
  readonly client: Client;
  readonly resolver: Resolver;
  /** Where a machine names no Secret; in the machine’s namespace all the same. */
  readonly defaultSecretName?: string | undefined;
}

/** The forge a builder registers with. Its Secret is read each time: a new key is used at once, and no Secret is watched. */
export async function findForge(finder: ForgeFinder, namespace: string, spec: GhActionsRunner): Promise<Forge> {
  const { ghOrg: account, ghAppSecretName } = spec;
  const name = ghAppSecretName || finder.defaultSecretName;
  if (!name) throw BUILDER_SECRET_NOT_NAMED({ account });
  const key = { namespace, name };
  const secret = keyString(key);
  const found = await apiTroubleAs(BUILDER_SECRET_UNAVAILABLE, { secret }, () => finder.client.find(secrets, key));
  if (!found) throw BUILDER_SECRET_MISSING({ secret, account });
  const fields = Object.entries(found.data ?? {}).map(([field, text]) => [field, Buffer.from(text, 'base64')] as const);
  return finder.resolver.resolve({ account, place: `Secret ${secret}`, fields: Object.fromEntries(fields) });
}
