import type { Route } from '../rest/route.ts';
import { agentRoutes } from './agent-routes.ts';
import { queueRoutes } from './queue-routes.ts';
import type { ScaleSets } from './scale-sets.ts';
import { sessionRoutes } from './session-routes.ts';
import { setRoutes } from './set-routes.ts';

/** Every call of the Actions service that listeners of scale sets make. */
export const scaleSetRoutes = (sets: ScaleSets): readonly Route[] => [
  ...setRoutes(sets),
  ...sessionRoutes(sets),
  ...queueRoutes(sets),
  ...agentRoutes(sets),
];
