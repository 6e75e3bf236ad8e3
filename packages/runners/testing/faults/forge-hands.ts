import { FORGE_UNAVAILABLE, type Forge } from '@minifleet/forges';
import type { Life } from '@minifleet/provider/testing/program';
import type { RunnersEffect } from './blow.ts';

/** The forge as one process reaches it. */
export function forgeHands(forge: Forge, life: Life<RunnersEffect>): Forge {
  const calling =
    (kind: RunnersEffect) =>
    <T>(name: string, call: () => Promise<T>): Promise<T> => {
      const down = () => Promise.reject(FORGE_UNAVAILABLE({ forge: forge.name, call: name, why: 'made to fail' }));
      return life.act({ kind, name }, call, { refused: down, lost: down });
    };
  const asking = calling('forge read');
  const changing = calling('forge');
  return {
    ...forge,
    runners: options => asking('runners', () => forge.runners(options)),
    runner: (name, options) => asking('runner', () => forge.runner(name, options)),
    singleJobRunner: (runner, options) => changing('singleJobRunner', () => forge.singleJobRunner(runner, options)),
    remove: (id, options) => changing('remove', () => forge.remove(id, options)),
  };
}
