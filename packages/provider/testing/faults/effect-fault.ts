import type { Effect } from '../../program/testing/program-run.ts';

export const faultModes = ['killed before', 'killed after', 'rejected', 'response lost', 'second leader'] as const;
export type FaultMode = (typeof faultModes)[number];

/** Fault that a test injects at one effect of a program. */
export interface EffectFault<Kind extends string = Effect['kind']> {
  readonly effect: Effect<Kind>;
  readonly mode: FaultMode;
}

/**
 * Reads change nothing, so a kill at a read tests nothing. Only the vendor has no conditional writes that reject the slower of two
 * leaders.
 */
const MODES: Readonly<Record<Effect['kind'], readonly FaultMode[]>> = {
  api: ['killed before', 'killed after', 'rejected', 'response lost'],
  vendor: faultModes,
  'vendor read': ['rejected'],
  host: ['killed before', 'killed after', 'rejected', 'response lost'],
};

/** All faults to inject into a run with these effects. Events are excluded because no controller depends on them. */
export function faultsAt(effects: readonly Effect[]): EffectFault[] {
  return effects
    .filter(effect => !effect.name.endsWith(' events') && (effect.kind !== 'host' || isEdgeOfJob(effect, effects)))
    .flatMap(effect => MODES[effect.kind].map(mode => ({ effect, mode })));
}

const COMMAND = /^command (\d+) of job (\d+)$/;

/** True for the first and the last command of a job. docs/proofs/killed-anywhere.md covers the commands in between. */
function isEdgeOfJob(effect: Effect, effects: readonly Effect[]): boolean {
  const [, number, job] = COMMAND.exec(effect.name) ?? [];
  return number === '1' || !effects.some(({ name }) => name === `command ${Number(number) + 1} of job ${job}`);
}

/** Name of an effect on the page. Effects that differ only in their number share a name. */
export function effectLabel({ kind, name }: Effect): string {
  if (kind === 'host') return /^command 1 of/.test(name) ? 'first command of a job' : 'last command of a job';
  return kind === 'api' ? name : `vendor: ${name}`;
}
