/** Everything that can go wrong between a node and its certificates, each with the next action. */
import { defineError } from '@minifleet/errors';

export const CERTIFICATE_REQUEST_DENIED = defineError('CERTIFICATE_REQUEST_DENIED', {
  retry: 'backoff',
  reason: 'CertificateRequestDenied',
  text: 'the certificate request {name} was denied: {why}; a new one is made later',
});

export const CERTIFICATE_REQUEST_FAILED = defineError('CERTIFICATE_REQUEST_FAILED', {
  retry: 'backoff',
  reason: 'CertificateRequestFailed',
  text: 'the signer could not sign the certificate request {name}: {why}; a new one is made later',
});

export const CERTIFICATE_REQUEST_GONE = defineError('CERTIFICATE_REQUEST_GONE', {
  retry: 'backoff',
  reason: 'CertificateRequestGone',
  text: 'the certificate request {name} was removed before anybody approved it; it is made again',
});

export const CERTIFICATE_UNUSABLE = defineError('CERTIFICATE_UNUSABLE', {
  retry: 'backoff',
  reason: 'CertificateUnusable',
  text: 'the certificate for {name} cannot be used: {why}; a new one is requested',
});

export const NODE_CANNOT_JOIN = defineError('NODE_CANNOT_JOIN', {
  retry: 'backoff',
  reason: 'NodeCannotJoin',
  text: 'there is no valid client certificate, and no bootstrap kubeconfig at {path} to get one with; write one with a new bootstrap token',
});
