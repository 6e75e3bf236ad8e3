/** What can keep an Xcode from being used. */
import { defineError } from '@minifleet/errors';

export const HOST_XCODE_MISSING = defineError('HOST_XCODE_MISSING', {
  retry: 'operator',
  reason: 'HostXcodeMissing',
  text: '{address} has no Xcode at {directory} (Command Line Tools are not enough); download Xcode’s .xip with an Apple account, copy it to the host and unpack it with `xip --expand` in /Applications, then run it again',
});
