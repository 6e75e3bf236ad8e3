import { z } from 'zod';
import { matching, withRules } from '../schema/rule.ts';

export const serverIDPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The vendor's id of a host, in the one spelling that can also be an object's name. */
export const serverID = withRules(z.string().max(36), [
  matching(serverIDPattern, {
    message: 'a server id is a UUID in lower case, for example 8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11',
    accepts: ['8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11'],
    rejects: ['8F14E45F-CEEA-467F-A0E6-2B1C9D3F7A11', 'mini-1', ''],
  }),
]);
