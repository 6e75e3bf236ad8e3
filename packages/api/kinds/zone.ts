import { z } from 'zod';
import { matching, withRules } from '../schema/rule.ts';

/** A vendor zone. Regions look alike and are the usual mistake. */
export const zone = withRules(z.string().max(32), [
  matching(/^[a-z]{2}-[a-z]{3}-[0-9]+$/, {
    message: 'zone must be a zone such as fr-par-1, with its number; fr-par is a region',
    accepts: ['fr-par-1', 'nl-ams-3'],
    rejects: ['fr-par', 'fr-par-', 'FR-PAR-1', 'paris', ''],
  }),
]);
