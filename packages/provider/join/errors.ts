/** Failures that keep a host from joining, each with the next action. */
import { defineError } from '@minifleet/errors';

export const JOIN_TOKEN_UNAVAILABLE = defineError('JOIN_TOKEN_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'BootstrapTokenUnavailable',
  text: '{machine}: no bootstrap token ({why}); retrying. If this persists, check the RBAC permissions of the provider in kube-system',
});

/** The Cluster is watched, so a new address triggers a reconcile. */
export const JOIN_ENDPOINT_UNKNOWN = defineError('JOIN_ENDPOINT_UNKNOWN', {
  retry: 'operator',
  reason: 'EndpointUnknown',
  text: '{machine}: API server address unknown ({why}); set spec.controlPlaneEndpoint of the Cluster {cluster}',
});

export const MACHINE_CLAIM_LOST = defineError('MACHINE_CLAIM_LOST', {
  retry: 'operator',
  reason: 'ClaimLost',
  text: '{machine}: host claim lost ({why}); the provider leaves the host alone. Delete the Machine to get another host',
});
