import type { Effect } from '../../program/testing/life.ts';

/** Faults that can hit a program at one of its effects. */
export const ways = ['killed before', 'killed after', 'refused', 'answer lost', 'another is faster'] as const;
export type Way = (typeof ways)[number];

export interface Blow<Kind extends string = Effect['kind']> {
  readonly effect: Effect<Kind>;
  readonly way: Way;
}

/** Reads change nothing, so there nobody need die; only the vendor has no condition that would stop the slower of two. */
const WAYS: Readonly<Record<Effect['kind'], readonly Way[]>> = {
  api: ['killed before', 'killed after', 'refused', 'answer lost'],
  vendor: ways,
  'vendor read': ['refused'],
  host: ['killed before', 'killed after', 'refused', 'answer lost'],
};

/** Every blow that a life with these effects is put to. Events tell of what happened and are no part of it. */
export function blowsAt(effects: readonly Effect[]): Blow[] {
  return effects
    .filter(effect => !effect.name.endsWith(' events') && (effect.kind !== 'host' || isEdgeOfJob(effect, effects)))
    .flatMap(effect => WAYS[effect.kind].map(way => ({ effect, way })));
}

const COMMAND = /^command (\d+) of job (\d+)$/;

/** A job's first and last command: what is between is in the table of killed-anywhere.md. */
function isEdgeOfJob(effect: Effect, effects: readonly Effect[]): boolean {
  const [, number, job] = COMMAND.exec(effect.name) ?? [];
  return number === '1' || !effects.some(({ name }) => name === `command ${Number(number) + 1} of job ${job}`);
}

/** As a page calls it: what is the same but for its number is one. */
export function effectWords({ kind, name }: Effect): string {
  if (kind === 'host') return /^command 1 of/.test(name) ? 'first command of a job' : 'last command of a job';
  return kind === 'api' ? name : `vendor: ${name}`;
}
