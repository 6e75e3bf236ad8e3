/** What keeps a host from joining, each with the next action. */
import { defineError } from '@minifleet/errors';

export const JOIN_TOKEN_UNAVAILABLE = defineError('JOIN_TOKEN_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'BootstrapTokenUnavailable',
  text: 'no bootstrap token for {machine} ({why}); it is tried again, look at the rights of the provider in kube-system if this lasts',
});

/** The Cluster is watched: its address wakes the machine. */
export const JOIN_ENDPOINT_UNKNOWN = defineError('JOIN_ENDPOINT_UNKNOWN', {
  retry: 'operator',
  reason: 'EndpointUnknown',
  text: 'no address where {machine} reaches the API server is known ({why}); set spec.controlPlaneEndpoint of the Cluster {cluster}',
});
