/** What keeps a pool from its forge before the forge is asked, each with the next action. */
import { defineError } from '@minifleet/errors';

export const POOL_FORGE_NOT_NAMED = defineError('POOL_FORGE_NOT_NAMED', {
  retry: 'untilSpecChanges',
  reason: 'ForgeNotNamed',
  text: 'the pool names no forge; set spec.forge.account and spec.forge.secretName',
});

export const POOL_SECRET_MISSING = defineError('POOL_SECRET_MISSING', {
  retry: 'operator',
  reason: 'SecretMissing',
  text: 'there is no Secret {secret}; create it with app-id, installation-id and private-key of a GitHub App that is installed on {account}',
});
