/** What keeps a builder from its forge, each with the next action. */
import { minutes } from '@minifleet/clock';
import { CataloguedError, defineError, type ErrorFactory } from '@minifleet/errors';
import { isPassing } from '../machines/phase-failure.ts';

export const BUILDER_SECRET_UNAVAILABLE = defineError('BUILDER_SECRET_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'ForgeUnavailable',
  text: 'the Secret {secret} with the GitHub App cannot be read ({why}); it is tried again, look at the rights of the provider if this lasts',
});

export const BUILDER_SECRET_MISSING = defineError('BUILDER_SECRET_MISSING', {
  retry: 'operator',
  reason: 'ForgeUnavailable',
  text: 'there is no Secret {secret}; create it with app-id, installation-id and private-key of a GitHub App that is installed on {account}',
});

export const BUILDER_SECRET_NOT_NAMED = defineError('BUILDER_SECRET_NOT_NAMED', {
  retry: 'operator',
  reason: 'ForgeUnavailable',
  text: 'no Secret with a GitHub App for {account} is named; set ghActionsRunner.ghAppSecretName, or a default of the provider',
});

export const BUILDER_TOKEN_UNAVAILABLE = defineError('BUILDER_TOKEN_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'RunnerTokenUnavailable',
  text: 'the runner cannot be registered with {account}: {why}',
});

/** A person mends it at the forge or in a Secret, where no watch sees it: so it is tried again by the clock. */
const AGAIN = { retry: { after: minutes(5) } } as const;

export const BUILDER_TOKEN_REFUSED = defineError('BUILDER_TOKEN_REFUSED', {
  ...AGAIN,
  reason: 'RunnerTokenUnavailable',
  text: 'the runner cannot be registered with {account}: {why}; it is tried again every 5 minutes',
});

export const BUILDER_STATE_UNAVAILABLE = defineError('BUILDER_STATE_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'ForgeUnavailable',
  text: 'the runner cannot be looked for in {account}: {why}',
});

export const BUILDER_STATE_REFUSED = defineError('BUILDER_STATE_REFUSED', {
  ...AGAIN,
  reason: 'ForgeUnavailable',
  text: 'the runner cannot be looked for in {account}: {why}; it is tried again every 5 minutes',
});

export interface Trouble {
  /** It may pass by itself. */
  readonly passing: ErrorFactory;
  /** Somebody has to act. */
  readonly lasting: ErrorFactory;
}

/** Runs what asks the forge; whatever it is told from a catalogue instead becomes an error whose reason the condition knows. */
export async function troubleAs<T>({ passing, lasting }: Trouble, account: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof CataloguedError)) throw cause;
    throw (isPassing(cause) ? passing : lasting)({ account, why: cause.message }, { cause });
  }
}
