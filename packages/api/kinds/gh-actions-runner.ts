import { z } from 'zod';
import { matching, type ValidationRule, withRules } from '../schema/rule.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';

const organisation = matching(/^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/, {
  message: 'ghOrg must be the name of a GitHub organization, for example my-org, not a URL and not a repository',
  accepts: ['tuist', 'my-org'],
  rejects: ['https://github.com/tuist', 'tuist/tuist', ''],
});

const runnerLabels = matching(/^[^\s,]+(,[^\s,]+)*$/, {
  message:
    'ghRunnerLabels must be a comma-separated list without spaces, for example self-hosted,macos,vm-image-builder',
  accepts: ['self-hosted', 'self-hosted,macos'],
  rejects: ['self-hosted, macos', 'self-hosted,,macos', ''],
});

const runnerVersion = matching(/^([0-9]+\.[0-9]+\.[0-9]+)?$/, {
  message:
    'ghRunnerVersion must be a release of actions/runner without the v, for example 2.334.0; omit it to use the version in the fleet file',
  accepts: ['2.334.0', ''],
  rejects: ['v2.334.0', 'latest', '2.334'],
});

const secretName = matching(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*)?$/, {
  message:
    'ghAppSecretName must be the name of a Secret in this namespace, for example github-app: lower-case letters, digits, dashes and dots',
  accepts: ['github-app', 'github.app-2', ''],
  rejects: ['GitHub_App', 'builders/github-app', '-app'],
});

// Not `required`: no field in a spec that CAPI clones is (I36). Without a default, because a builder of one company must not ask another's
// organization for a token.
const organizationGiven: ValidationRule<{ ghOrg?: string }> = {
  cel: 'has(self.ghOrg)',
  message: 'ghActionsRunner.ghOrg is missing; set it to the GitHub organization of the runner, for example my-org',
  check: ({ ghOrg }) => ghOrg !== undefined,
  accepts: [{ ghOrg: 'my-org', ghRunnerLabels: 'macos' }],
  rejects: [{}, { ghRunnerLabels: 'macos' }],
};

const fields = z.object({
  ghOrg: withRules(z.string().max(39), [organisation])
    .optional()
    .describe('GitHub organization of the runner. Required.'),
  ghRunnerLabels: withRules(z.string().max(512), [runnerLabels])
    .default('self-hosted,macos,bare-metal,vm-image-builder')
    .describe('Comma-separated labels of the runner. The list must contain every label in runs-on of the workflows.'),
  // Required in the previous system. A required field in a cloned spec breaks older templates (I36).
  ghRunnerVersion: withRules(z.string().max(32), [runnerVersion])
    .optional()
    .describe(
      'Minimum release of actions/runner. The provider installs the release in its fleet file and disables self-updates of the runner. If that release is older, the machine reports BuilderMaterialMissing. Default: any release.',
    ),
  ghAppSecretName: withRules(z.string().max(253), [secretName])
    .optional()
    .describe(
      'Secret in this namespace with the GitHub App: keys app-id, installation-id and private-key. A builder registers no runner without it.',
    ),
});

/** `spec.ghActionsRunner`: makes a host a builder. */
export const ghActionsRunner = withRules(fields, [organizationGiven]);

export type GhActionsRunner = SchemaOutput<typeof ghActionsRunner>;
