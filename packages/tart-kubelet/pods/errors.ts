import { milliseconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const CONFIG_MISSING = defineError('POD_CONFIG_MISSING', {
  retry: 'backoff',
  reason: 'CreateContainerConfigError',
  text: '{kind} "{name}" not found',
});

export const CONFIG_KEY_MISSING = defineError('POD_CONFIG_KEY_MISSING', {
  retry: 'backoff',
  reason: 'CreateContainerConfigError',
  text: "couldn't find key {key} in {kind} {name}",
});

export const CONFIG_NOT_YET_READABLE = defineError('POD_CONFIG_NOT_YET_READABLE', {
  retry: { after: milliseconds(250) },
  reason: 'CreateContainerConfigError',
  text: '{kind} "{name}": not readable yet (the API server grants access shortly after the Pod is bound); retrying',
});

export const FIELD_UNKNOWN = defineError('POD_FIELD_UNKNOWN', {
  retry: 'untilSpecChanges',
  reason: 'CreateContainerConfigError',
  text: '{field}: not a downward API field; correct the Pod spec',
});

export const CONFIG_PATH_UNSAFE = defineError('POD_CONFIG_PATH_UNSAFE', {
  retry: 'untilSpecChanges',
  reason: 'CreateContainerConfigError',
  text: '{path}: volume path leads outside the volume; use a relative path without ..',
});
