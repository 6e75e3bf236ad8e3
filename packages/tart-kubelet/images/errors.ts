/** Image errors, with the reasons that kubelet uses for a waiting container. */
import { defineError } from '@minifleet/errors';

export const IMAGE_NAME_INVALID = defineError('IMAGE_NAME_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'InvalidImageName',
  text: 'image "{image}": invalid name; use host/repository:tag or host/repository@sha256:…',
});

export const IMAGE_NEVER_PULLED = defineError('IMAGE_NEVER_PULLED', {
  retry: 'untilSpecChanges',
  reason: 'ErrImageNeverPull',
  text: 'image "{image}": not present on this host (the Pod’s imagePullPolicy is Never); pull it beforehand or use IfNotPresent',
});

export const IMAGE_PULL_FAILED = defineError('IMAGE_PULL_FAILED', {
  retry: 'backoff',
  reason: 'ErrImagePull',
  text: 'failed to pull image "{image}": {why}',
});

export const IMAGE_PULL_BACKING_OFF = defineError('IMAGE_PULL_BACKING_OFF', {
  retry: 'backoff',
  reason: 'ImagePullBackOff',
  text: 'back-off pulling image "{image}": {why}',
});

export const IMAGE_UNREADABLE = defineError('IMAGE_UNREADABLE', {
  retry: 'backoff',
  reason: 'ImageInspectError',
  text: 'image "{image}": failed to inspect this host ({why}); retrying',
});

export const IMAGE_PULL_STALLED = defineError('IMAGE_PULL_STALLED', {
  retry: 'backoff',
  reason: 'ErrImagePull',
  text: 'no data received for {after}; pull cancelled, check the registry and the network',
});
