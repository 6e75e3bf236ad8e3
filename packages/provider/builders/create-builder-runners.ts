import type { Clock } from '@minifleet/clock';
import type { BuilderRunners } from '../machines/builder-runners.ts';
import { reportedAs } from './errors.ts';
import { type ForgeFinder, findForge } from './find-forge.ts';
import { createRecentRunners } from './recent-runners.ts';

export interface BuilderRunnersOptions extends ForgeFinder {
  readonly clock: Clock;
}

const REGISTRATION = { reason: 'RunnerTokenUnavailable', what: 'runner registration' };
const LOOKUP = { reason: 'ForgeUnavailable', what: 'runner lookup' };

/** The runners of builders with whichever forge their Secrets lead to. */
export function createBuilderRunners(options: BuilderRunnersOptions): BuilderRunners {
  const recent = createRecentRunners(options.clock);
  return {
    token: (namespace, spec) =>
      reportedAs(REGISTRATION, spec.ghOrg, async () => {
        const forge = await findForge(options, namespace, spec);
        return (await forge.registrationToken()).token;
      }),
    url: ({ ghOrg }) => options.resolver.url(ghOrg),
    state: (namespace, spec, name) =>
      reportedAs(LOOKUP, spec.ghOrg, async () => {
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
