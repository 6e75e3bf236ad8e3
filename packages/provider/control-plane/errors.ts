import { defineError } from '@minifleet/errors';

export const KUBECONFIG_NOT_MINTED = defineError('KUBECONFIG_NOT_MINTED', {
  retry: 'backoff',
  reason: 'MintingFailed',
  text: 'ServiceAccount {account}: no token could be created or stored ({why}); apply config/rbac, which creates the account and grants the provider access to it',
});
