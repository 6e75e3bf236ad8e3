import type { Route } from './route.ts';
import { appRoutes } from './routes/app-routes.ts';
import { groupRoutes } from './routes/group-routes.ts';
import { hookRoutes } from './routes/hook-routes.ts';
import { jobRoutes } from './routes/job-routes.ts';
import { labelRoutes } from './routes/label-routes.ts';
import { rateLimitRoutes } from './routes/rate-limit-routes.ts';
import { registrationRoutes } from './routes/registration-routes.ts';
import { runnerRoutes } from './routes/runner-routes.ts';

/** Every endpoint of GitHub this forge has. Fixed paths come before those with a parameter in the same place. */
export const restRoutes: readonly Route[] = [
  ...appRoutes,
  ...runnerRoutes,
  ...labelRoutes,
  ...groupRoutes,
  ...jobRoutes,
  ...hookRoutes,
  ...rateLimitRoutes,
  ...registrationRoutes,
];
