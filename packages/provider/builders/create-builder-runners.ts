import type { Clock } from '@minifleet/clock';
import type { BuilderRunners } from '../machines/builder-runners.ts';
import {
  BUILDER_STATE_REFUSED,
  BUILDER_STATE_UNAVAILABLE,
  BUILDER_TOKEN_REFUSED,
  BUILDER_TOKEN_UNAVAILABLE,
  troubleAs,
} from './errors.ts';
import { type ForgeFinder, findForge } from './find-forge.ts';
import { createRecentRunners } from './recent-runners.ts';

export interface BuilderRunnersOptions extends ForgeFinder {
  readonly clock: Clock;
}

const TOKEN_TROUBLE = { passing: BUILDER_TOKEN_UNAVAILABLE, lasting: BUILDER_TOKEN_REFUSED };
const STATE_TROUBLE = { passing: BUILDER_STATE_UNAVAILABLE, lasting: BUILDER_STATE_REFUSED };

/** The runners of builders with whichever forge their Secrets lead to. */
export function createBuilderRunners(options: BuilderRunnersOptions): BuilderRunners {
  const recent = createRecentRunners(options.clock);
  return {
    token: (namespace, spec) =>
      troubleAs(TOKEN_TROUBLE, spec.ghOrg, async () => {
        const forge = await findForge(options, namespace, spec);
        return (await forge.registrationToken()).token;
      }),
    url: ({ ghOrg }) => options.resolver.url(ghOrg),
    state: (namespace, spec, name) =>
      troubleAs(STATE_TROUBLE, spec.ghOrg, async () => {
        const runner = await recent.find(await findForge(options, namespace, spec), name);
        if (!runner) return 'absent';
        // One that vanished in the middle of a job is offline, and its job may yet be saved.
        return runner.busy ? 'busy' : runner.state;
      }),
    // Its errors stay as they are: those that need a person hold up no deletion.
    async remove(namespace, spec, name) {
      const forge = await findForge(options, namespace, spec);
      const runner = await forge.runner(name);
      if (!runner) return true;
      const removal = await forge.remove(runner.id);
      recent.forget(forge);
      return removal !== 'busy';
    },
  };
}
