/** Why an image is not there, under the reasons every kubelet uses for a waiting container. */
import { defineError } from '@minifleet/errors';

export const IMAGE_NAME_INVALID = defineError('IMAGE_NAME_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'InvalidImageName',
  text: '"{image}" is no name of an image in a registry; write it as host/repository:tag or host/repository@sha256:…',
});

export const IMAGE_NEVER_PULLED = defineError('IMAGE_NEVER_PULLED', {
  retry: 'untilSpecChanges',
  reason: 'ErrImageNeverPull',
  text: 'image "{image}" is not on this host and the Pod’s imagePullPolicy is Never; pull it here beforehand or choose IfNotPresent',
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
  text: 'failed to look for image "{image}" on this host: {why}',
});

export const IMAGE_PULL_STALLED = defineError('IMAGE_PULL_STALLED', {
  retry: 'backoff',
  reason: 'ErrImagePull',
  text: 'nothing arrived for {after}; the pull was given up, look at the registry and at the line to it',
});
