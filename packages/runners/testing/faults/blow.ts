import type { ApiRequest } from '@minifleet/kube';
import { type Blow, type Way, ways } from '@minifleet/provider/testing/faults/blow';
import type { Effect } from '@minifleet/provider/testing/program';
import { nameOf } from '@minifleet/provider/testing/program';

/** Effects of the program on the API server and GitHub, and GitHub reads, which may stay unanswered. */
export type RunnersEffect = 'api' | 'forge' | 'forge read';

/** Reads change nothing, so there nobody need die. */
const waysAt = ({ kind }: Effect<RunnersEffect>): readonly Way[] => (kind === 'forge read' ? ['refused'] : ways);

/** Every blow that a life with these effects is put to. Events tell of what happened and are no part of it. */
export const blowsAt = (effects: readonly Effect<RunnersEffect>[]): Blow<RunnersEffect>[] =>
  effects
    .filter(({ name }) => !name.endsWith(' events'))
    .flatMap(effect => waysAt(effect).map(way => ({ effect, way })));

export const effectWords = ({ kind, name }: Effect<RunnersEffect>): string =>
  kind === 'api' ? name : `forge: ${name}`;

/** `patch runnerpools/status (an end)`: without the names of runners, which are others each time, and with what is written. */
export function effectName(request: ApiRequest): string {
  const name = nameOf(request).replace(/ \(.*\)$/, '');
  const { data, status } = (request.body ?? {}) as { data?: object; status?: { recentEnds?: unknown } };
  if (name === 'patch secrets') return `${name} ${data ? '(configuration)' : '(sighting)'}`;
  return name === 'patch runnerpools/status' && status?.recentEnds ? `${name} (an end)` : name;
}
