import { defineError } from '@minifleet/errors';

export const KUBECONFIG_NOT_MINTED = defineError('KUBECONFIG_NOT_MINTED', {
  retry: 'backoff',
  reason: 'MintingFailed',
  text: 'no token for the ServiceAccount {account} could be had or written down ({why}); apply config/rbac, which makes the account and gives the provider the right to it',
});
