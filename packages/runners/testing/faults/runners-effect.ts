import type { ApiRequest } from '@minifleet/kube';
import { type EffectFault, type FaultMode, faultModes } from '@minifleet/provider/testing/faults/effect-fault';
import type { Effect } from '@minifleet/provider/testing/program';
import { nameOf } from '@minifleet/provider/testing/program';

/** Writes to the API server, writes to GitHub, and reads from GitHub, which may fail. */
export type RunnersEffect = 'api' | 'forge' | 'forge read';

/** Reads change nothing, so a kill at a read tests nothing. */
const modesAt = ({ kind }: Effect<RunnersEffect>): readonly FaultMode[] =>
  kind === 'forge read' ? ['rejected'] : faultModes;

/** All faults to inject into a run with these effects. Events are excluded because the controller does not depend on them. */
export const faultsAt = (effects: readonly Effect<RunnersEffect>[]): EffectFault<RunnersEffect>[] =>
  effects
    .filter(({ name }) => !name.endsWith(' events'))
    .flatMap(effect => modesAt(effect).map(mode => ({ effect, mode })));

export const effectLabel = ({ kind, name }: Effect<RunnersEffect>): string =>
  kind === 'api' ? name : `GitHub: ${name}`;

/**
 * Name of a write: `patch runnerpools/status (recentEnds)`. It omits the name of the runner, which differs in each run, and includes
 * what is written.
 */
export function effectName(request: ApiRequest): string {
  const name = nameOf(request).replace(/ \(.*\)$/, '');
  const { data, status } = (request.body ?? {}) as { data?: object; status?: { recentEnds?: unknown } };
  if (name === 'patch secrets') return `${name} ${data ? '(configuration)' : '(runner state)'}`;
  return name === 'patch runnerpools/status' && status?.recentEnds ? `${name} (recentEnds)` : name;
}
