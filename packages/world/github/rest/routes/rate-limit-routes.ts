import { callerName } from '../../auth/caller.ts';
import type { Route } from '../route.ts';

/** Asking costs nothing. */
export const rateLimitRoutes: readonly Route[] = [
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
