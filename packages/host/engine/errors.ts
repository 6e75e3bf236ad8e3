import { defineError } from '@minifleet/errors';

export const HOST_DID_NOT_COME_BACK = defineError('HOST_DID_NOT_COME_BACK', {
  retry: 'backoff',
  reason: 'HostDidNotComeBack',
  text: '{address} was told to restart and {why} after {after}; restart it from the vendor’s console, then run the same again',
});

export const HOST_REBOOT_IN_VAIN = defineError('HOST_REBOOT_IN_VAIN', {
  retry: 'backoff',
  reason: 'HostRebootInVain',
  text: '{address} was restarted for step {step}, which is still not in force: {difference}; it is not restarted for this again: see that its clock is right and that nobody else writes the setting, then restart it by hand',
});
