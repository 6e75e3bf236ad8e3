import type { GhActionsRunner } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { createForgeLookup, createRunnerListCache, type Forge, type Resolver } from '@minifleet/forges';
import { type Client, keyString, secrets } from '@minifleet/kube';
import type { Secret } from '@minifleet/secret';
import { withApiErrorAs } from '../credentials/edit-secret.ts';
import {
  BUILDER_ORGANIZATION_MISSING,
  BUILDER_SECRET_NOT_NAMED,
  BUILDER_SECRET_UNAVAILABLE,
  reportedAs,
} from './errors.ts';

/** GitHub operations for the runner of a builder. */
export interface BuilderForge {
  /** New registration token, valid for one hour. */
  token(namespace: string, spec: GhActionsRunner): Promise<Secret>;
  /** Registration URL of the organization. */
  url(spec: GhActionsRunner): string;
  state(namespace: string, spec: GhActionsRunner, name: string): Promise<'online' | 'offline' | 'busy' | 'absent'>;
  /** Succeeds if the runner is absent. False if GitHub refuses because the runner has a job. */
  remove(namespace: string, spec: GhActionsRunner, name: string): Promise<boolean>;
}

interface BuilderForgeDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly resolver: Resolver;
}

const REGISTRATION = { reason: 'RunnerTokenUnavailable', what: 'runner registration' };
const LOOKUP = { reason: 'ForgeUnavailable', what: 'runner lookup' };

/** Registers, checks and removes the GitHub runners of builders, with the App that each machine names. */
export function createBuilderForge({ client, clock, resolver }: BuilderForgeDeps): BuilderForge {
  const runners = createRunnerListCache({ clock });
  const lookup = createForgeLookup({
    clock,
    resolver,
    readSecret: key =>
      withApiErrorAs(BUILDER_SECRET_UNAVAILABLE, { secret: keyString(key) }, () => client.find(secrets, key)),
  });

  async function forgeOf(namespace: string, spec: GhActionsRunner): Promise<Forge> {
    const { ghAppSecretName } = spec;
    const account = organizationOf(spec);
    if (!ghAppSecretName) throw BUILDER_SECRET_NOT_NAMED({ account });
    return lookup.find({ namespace, secretName: ghAppSecretName, account });
  }

  return {
    token: (namespace, spec) =>
      reportedAs(REGISTRATION, organizationOf(spec), async () => {
        const forge = await forgeOf(namespace, spec);
        return (await forge.registrationToken()).token;
      }),
    url: spec => resolver.url(organizationOf(spec)),
    state: (namespace, spec, name) =>
      reportedAs(LOOKUP, organizationOf(spec), async () => {
        const runner = await runners.find(await forgeOf(namespace, spec), name);
        if (!runner) return 'absent';
        // A runner that lost its connection in the middle of a job is offline and busy; its job may still finish.
        return runner.busy ? 'busy' : runner.state;
      }),
    // Errors keep their retry rule: one that needs an operator does not block the deletion of a machine.
    async remove(namespace, spec, name) {
      const forge = await forgeOf(namespace, spec);
      const runner = await forge.runner(name);
      if (!runner) return true;
      const removal = await forge.remove(runner.id);
      runners.update(forge, name, 'forgotten');
      return removal !== 'busy';
    },
  };
}

/** The API server rejects a builder without an organization, unless it was written under other CRDs. */
function organizationOf({ ghOrg }: GhActionsRunner): string {
  if (!ghOrg) throw BUILDER_ORGANIZATION_MISSING({});
  return ghOrg;
}
