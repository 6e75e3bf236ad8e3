import { defineError } from '@minifleet/errors';

export const POOL_FORGE_NOT_NAMED = defineError('POOL_FORGE_NOT_NAMED', {
  retry: 'untilSpecChanges',
  reason: 'ForgeNotNamed',
  text: 'spec.forge is not set; set spec.forge.account to the GitHub organisation and spec.forge.secretName to the Secret with its GitHub App',
});
