import { callerName } from '../auth/caller.ts';
import type { GithubRoute } from './route.ts';
import { appRoutes } from './routes/app-routes.ts';
import { groupRoutes } from './routes/group-routes.ts';
import { hookRoutes } from './routes/hook-routes.ts';
import { jobRoutes } from './routes/job-routes.ts';
import { labelRoutes, registrationRoutes, runnerRoutes } from './routes/runner-routes.ts';

/** Reading the limits is not counted. */
const rateLimitRoutes: readonly GithubRoute[] = [
  {
    method: 'GET',
    path: '/rate_limit',
    as: 'anyone',
    answer({ forge, caller }) {
      const name = callerName(caller);
      const core = forge.limits.read(name, 'core');
      const registration = forge.limits.read(name, 'actions_runner_registration');
      const search = { ...core, limit: 30, used: 0, remaining: 30 };
      const resources = { core, search, actions_runner_registration: registration };
      return { status: 200, body: { resources, rate: core } };
    },
  },
];

/** Every modelled endpoint of GitHub. Fixed paths come before those with a parameter in the same place. */
export const restRoutes: readonly GithubRoute[] = [
  ...appRoutes,
  ...runnerRoutes,
  ...labelRoutes,
  ...groupRoutes,
  ...jobRoutes,
  ...hookRoutes,
  ...rateLimitRoutes,
  ...registrationRoutes,
];
