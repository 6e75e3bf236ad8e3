/** Failures of a builder's GitHub calls, each with the next action. */
import { minutes } from '@minifleet/clock';
import { CataloguedError, defineError, needsOperator, withReason } from '@minifleet/errors';

export const BUILDER_SECRET_UNAVAILABLE = defineError('BUILDER_SECRET_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'ForgeUnavailable',
  text: 'Secret {secret} with the GitHub App could not be read ({why}); retrying. If this persists, check the RBAC permissions of the provider',
});

export const BUILDER_ORGANIZATION_MISSING = defineError('BUILDER_ORGANIZATION_MISSING', {
  retry: 'operator',
  reason: 'BuilderMaterialMissing',
  text: 'ghActionsRunner.ghOrg is not set; set it to the GitHub organization of the runner',
});

export const BUILDER_SECRET_NOT_NAMED = defineError('BUILDER_SECRET_NOT_NAMED', {
  retry: 'operator',
  reason: 'ForgeUnavailable',
  text: 'ghActionsRunner.ghAppSecretName is not set; set it to the Secret with the GitHub App of {account}',
});

/** An operator repairs it in GitHub or in a Secret, which the provider does not watch, so it is retried periodically. */
const OPERATOR_RETRY = { after: minutes(5) };

interface BuilderFailure {
  /** Reason of the condition. */
  readonly reason: string;
  /** Failed operation: `runner registration`. */
  readonly what: string;
}

/** Runs a call to GitHub; a catalogued error gets a reason of the condition. */
export async function reportedAs<T>(
  { reason, what }: BuilderFailure,
  account: string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof CataloguedError)) throw error;
    const message = `${what} in ${account} failed: ${error.message}`;
    if (!needsOperator(error)) throw withReason(error, reason, { message });
    throw withReason(error, reason, { message: `${message}; retried every 5 minutes`, retry: OPERATOR_RETRY });
  }
}
