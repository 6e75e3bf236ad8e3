import { FORGE_UNAVAILABLE, type Forge } from '@minifleet/forges';
import type { ProgramRun } from '@minifleet/provider/testing/program';
import type { RunnersEffect } from './runners-effect.ts';

/** GitHub client of one process that injects faults at calls. */
export function interceptForge(forge: Forge, run: ProgramRun<RunnersEffect>): Forge {
  const intercept =
    (kind: RunnersEffect) =>
    <T>(name: string, call: () => Promise<T>): Promise<T> => {
      const unavailable = () =>
        Promise.reject(FORGE_UNAVAILABLE({ forge: forge.name, call: name, why: 'injected fault' }));
      return run.act({ kind, name }, call, { rejected: unavailable, responseLost: unavailable });
    };
  const read = intercept('forge read');
  const write = intercept('forge');
  return {
    ...forge,
    runners: options => read('runners', () => forge.runners(options)),
    runner: (name, options) => read('runner', () => forge.runner(name, options)),
    runnerVersion: (version, options) => read('runnerVersion', () => forge.runnerVersion(version, options)),
    singleJobRunner: (runner, options) => write('singleJobRunner', () => forge.singleJobRunner(runner, options)),
    remove: (id, options) => write('remove', () => forge.remove(id, options)),
  };
}
