import { z } from 'zod';
import type { Output } from '../schema/output.ts';
import { matching, withRules } from '../schema/rule.ts';

const account = matching(/^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/, {
  message: 'account is the name of a GitHub organisation, for example tuist: no URL and no repository',
  accepts: ['tuist', 'my-org'],
  rejects: ['https://github.com/tuist', 'tuist/tuist', ''],
});

const secretName = matching(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, {
  message:
    'secretName is the name of a Secret in the namespace of the pool, for example github-app: lower-case letters, digits, dashes and dots',
  accepts: ['github-app', 'github.app-2'],
  rejects: ['GitHub_App', 'runners/github-app', ''],
});

/** Who gives the jobs of a pool. */
export const runnerPoolForge = z.object({
  account: withRules(z.string().max(39), [account]).describe('GitHub organisation the runners register with.'),
  secretName: withRules(z.string().max(253), [secretName]).describe(
    'Secret in this namespace with the GitHub App: keys app-id, installation-id and private-key.',
  ),
  group: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('Group of runners in the forge, by its name. Absent: the default one.'),
});

export type RunnerPoolForge = Output<typeof runnerPoolForge>;
