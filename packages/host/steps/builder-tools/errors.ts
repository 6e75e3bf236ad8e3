/** What can keep a tool from being as wanted. */
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const HOST_HOMEBREW_MISSING = defineError('HOST_HOMEBREW_MISSING', {
  retry: 'backoff',
  reason: 'HostHomebrewMissing',
  text: '{address} has no Homebrew to install {formulae} with; let the step homebrew run first',
});

export const HOST_FORMULA_UNAVAILABLE = defineError('HOST_FORMULA_UNAVAILABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostFormulaUnavailable',
  text: '{formula} {wanted} cannot be had on {address}: Homebrew offers {offered} and {installed} is installed; want {offered} instead (and have the Local Network allow-list in force, as a click does not carry over), nothing was changed',
});

export const HOST_TOOLS_IN_USE = defineError('HOST_TOOLS_IN_USE', {
  retry: { after: minutes(5) },
  reason: 'HostToolsInUse',
  text: 'a bake began on {address} since it was looked at, and uses the tools that are to be replaced; it is not interrupted, they are replaced when it is over',
});
