import type { Forge, ForgeCallOptions } from '../../forge.ts';
import type { CallName } from '../forge-call.ts';
import { LABELS } from './forge-bench.ts';

/** One of each; each may be made again after it failed. */
export const everyCall: Readonly<Record<CallName, (forge: Forge, options?: ForgeCallOptions) => Promise<unknown>>> = {
  registrationToken: (forge, options) => forge.registrationToken(options),
  singleJobRunner: (forge, options) => forge.singleJobRunner({ name: 'pod-1', labels: LABELS }, options),
  runners: (forge, options) => forge.runners(options),
  runner: (forge, options) => forge.runner('pod-1', options),
  remove: (forge, options) => forge.remove(4_711, options),
  runnerVersion: (forge, options) => forge.runnerVersion('2.338.0', options),
};

export const callNames = Object.keys(everyCall) as readonly CallName[];
