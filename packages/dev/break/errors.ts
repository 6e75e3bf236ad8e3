/** What keeps `break` from breaking something. Unless said otherwise, nothing was touched. */
import { defineError } from '@minifleet/errors';

export const INCIDENT_UNKNOWN = defineError('INCIDENT_UNKNOWN', {
  retry: 'operator',
  reason: 'IncidentUnknown',
  text: 'no incident is called {incident}; minifleet break lists those there are',
});

export const HOST_NOT_STRUCK = defineError('HOST_NOT_STRUCK', {
  retry: 'operator',
  reason: 'HostNotStruck',
  text: '{incident} can happen to {fleets}, and {host}; choose among {found}',
});

export const POOL_TAKEN = defineError('POOL_TAKEN', {
  retry: 'operator',
  reason: 'PoolTaken',
  text: '{incident} needs the pool of runners to itself, and {other} is being done to it on {host}; try again when that is seen, or end it with minifleet mend {host}',
});

export const HOST_GONE = defineError('HOST_GONE', {
  retry: 'operator',
  reason: 'HostGone',
  text: 'the Mac {server} of {host} is not there any more; see minifleet get hosts',
});

export const STRIKE_IN_VAIN = defineError('STRIKE_IN_VAIN', {
  retry: 'operator',
  reason: 'StrikeInVain',
  text: '{incident} did not hurt {host}, so nothing would be shown by what is seen next: {said}; see that the host is Ready, and try again',
});

export const SCENE_NOT_SET = defineError('SCENE_NOT_SET', {
  retry: 'operator',
  reason: 'SceneNotSet',
  text: 'on {host} it was waited in vain until {what}, so the incident was not done; see minifleet get hosts, and try again',
});
