import { z } from 'zod';
import type { Output } from '../schema/output.ts';
import { matching, withRules } from '../schema/rule.ts';

const organisation = matching(/^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/, {
  message: 'ghOrg is the name of a GitHub organisation, for example tuist: no URL and no repository',
  accepts: ['tuist', 'my-org'],
  rejects: ['https://github.com/tuist', 'tuist/tuist', ''],
});

const runnerLabels = matching(/^[^\s,]+(,[^\s,]+)*$/, {
  message: 'ghRunnerLabels is a list with commas and no spaces, for example self-hosted,macos,vm-image-builder',
  accepts: ['self-hosted', 'self-hosted,macos'],
  rejects: ['self-hosted, macos', 'self-hosted,,macos', ''],
});

const runnerVersion = matching(/^([0-9]+\.[0-9]+\.[0-9]+)?$/, {
  message:
    'ghRunnerVersion is a release of actions/runner without the v, for example 2.334.0; leave it out for the one the provider has',
  accepts: ['2.334.0', ''],
  rejects: ['v2.334.0', 'latest', '2.334'],
});

const secretName = matching(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*)?$/, {
  message:
    'ghAppSecretName is the name of a Secret in this namespace, for example github-app: lower-case letters, digits, dashes and dots',
  accepts: ['github-app', 'github.app-2', ''],
  rejects: ['GitHub_App', 'builders/github-app', '-app'],
});

/** What makes a host a builder. */
export const ghActionsRunner = z.object({
  ghOrg: withRules(z.string().max(39), [organisation])
    .default('tuist')
    .describe('GitHub organisation the runner registers with.'),
  ghRunnerLabels: withRules(z.string().max(512), [runnerLabels])
    .default('self-hosted,macos,bare-metal,vm-image-builder')
    .describe('Labels of the runner, with commas. It must hold every label that the workflows ask for in runs-on.'),
  // Required in the older system; a required field on a cloned kind breaks older templates (I36).
  ghRunnerVersion: withRules(z.string().max(32), [runnerVersion])
    .optional()
    .describe(
      'Oldest release of actions/runner that will do. The provider installs the one of its fleet settings and keeps it there, without updates of its own; where that is older than this, the machine says BuilderMaterialMissing. Absent: whichever it has.',
    ),
  ghAppSecretName: withRules(z.string().max(253), [secretName])
    .optional()
    .describe(
      'Secret in this namespace with the GitHub App: keys app-id, installation-id and private-key. Absent: the default of the controller.',
    ),
});

export type GhActionsRunner = Output<typeof ghActionsRunner>;
