import type { ProviderFailureScenario } from './failure-scenario.ts';
import { forcedDeletions } from './forced-deletions.ts';
import { lastingFailures } from './lasting-failures.ts';
import { manualDeletions } from './manual-deletions.ts';

export const failureScenarios: readonly ProviderFailureScenario[] = [
  ...lastingFailures,
  ...manualDeletions,
  ...forcedDeletions,
];
