/** Errors of `break`. Unless the text says otherwise, no host was changed. */
import { defineError } from '@minifleet/errors';

export const INCIDENT_UNKNOWN = defineError('INCIDENT_UNKNOWN', {
  retry: 'operator',
  reason: 'IncidentUnknown',
  text: 'unknown incident {incident}; run minifleet break to list all incidents',
});

export const NO_FAULT_TARGET = defineError('NO_FAULT_TARGET', {
  retry: 'operator',
  reason: 'NoFaultTarget',
  text: '{incident} needs a host of {fleets}, but {why}; candidates: {candidates}',
});

export const POOL_IN_USE = defineError('POOL_IN_USE', {
  retry: 'operator',
  reason: 'PoolInUse',
  text: '{incident} needs the runner pool, but {other} on {host} is using it; wait for its result, or end it with minifleet mend {host}',
});

export const HOST_GONE = defineError('HOST_GONE', {
  retry: 'operator',
  reason: 'HostGone',
  text: '{host}: server {server} no longer exists; run minifleet get hosts',
});

export const FAULT_WITHOUT_EFFECT = defineError('FAULT_WITHOUT_EFFECT', {
  retry: 'operator',
  reason: 'FaultWithoutEffect',
  text: '{host}: {incident} had no effect ({output}); wait until the host is Ready, then try again',
});

export const FAULT_NOT_INJECTED = defineError('FAULT_NOT_INJECTED', {
  retry: 'operator',
  reason: 'FaultNotInjected',
  text: 'timed out on {host} waiting for: {what}; fault not injected; run minifleet get hosts, then try again',
});
