/** Certificate errors, each with the next action. */
import { defineError } from '@minifleet/errors';

export const CERTIFICATE_REQUEST_DENIED = defineError('CERTIFICATE_REQUEST_DENIED', {
  retry: 'backoff',
  reason: 'CertificateRequestDenied',
  text: 'certificate request {name}: denied ({why}); retrying with a new request',
});

export const CERTIFICATE_REQUEST_FAILED = defineError('CERTIFICATE_REQUEST_FAILED', {
  retry: 'backoff',
  reason: 'CertificateRequestFailed',
  text: 'certificate request {name}: signing failed ({why}); retrying with a new request',
});

export const CERTIFICATE_REQUEST_GONE = defineError('CERTIFICATE_REQUEST_GONE', {
  retry: 'backoff',
  reason: 'CertificateRequestGone',
  text: 'certificate request {name}: deleted before it was approved; creating it again',
});

export const CERTIFICATE_UNUSABLE = defineError('CERTIFICATE_UNUSABLE', {
  retry: 'backoff',
  reason: 'CertificateUnusable',
  text: 'certificate {name}: unusable ({why}); requesting a new one',
});

export const NODE_CANNOT_JOIN = defineError('NODE_CANNOT_JOIN', {
  retry: 'backoff',
  reason: 'NodeCannotJoin',
  text: 'node: cannot join (no valid client certificate, no bootstrap kubeconfig at {path}); write one with a new bootstrap token',
});
