import type { RunnersFailureScenario } from './failure-scenario.ts';
import { githubFailures } from './github-failures.ts';
import { lastingFailures } from './lasting-failures.ts';
import { runnerFailures } from './runner-failures.ts';

export const failureScenarios: readonly RunnersFailureScenario[] = [
  ...lastingFailures,
  ...githubFailures,
  ...runnerFailures,
];
