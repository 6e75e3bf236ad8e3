import type { Effect } from '../../program/testing/program-run.ts';
import { type EffectFault, type FaultMode, faultModes } from './effect-fault.ts';

/** Result of one injected fault. */
export interface EffectFaultOutcome<Kind extends string = Effect['kind']> {
  readonly scenario: string;
  readonly fault: EffectFault<Kind>;
  /** Violated invariants and missed expectations; empty if the program recovered. */
  readonly violations: readonly string[];
}

export interface FailureScenarioOutcome {
  readonly name: string;
  readonly expected: string;
  readonly violations: readonly string[];
}

export interface FaultPageOptions<Kind extends string> {
  readonly introduction: string;
  /** Name of an effect on the page. Effects with the same name share a row. */
  readonly effectLabel: (effect: Effect<Kind>) => string;
}

/** Writes and reads the page with the results of all faults injected into a program. */
export interface FaultPage<Kind extends string> {
  readonly page: (faults: readonly EffectFaultOutcome<Kind>[], failures: readonly FailureScenarioOutcome[]) => string;
  /** Effects of a scenario with their counts, in the format of `effectsOn`: `The pool grows: create pods 2`. */
  readonly effectsOf: (scenario: string, faults: readonly EffectFault<Kind>[]) => string[];
}

export function faultPage<Kind extends string>({ introduction, effectLabel }: FaultPageOptions<Kind>): FaultPage<Kind> {
  const byEffect = (faults: readonly EffectFault<Kind>[]): Map<string, EffectFault<Kind>[]> =>
    Map.groupBy(faults, ({ effect }) => effectLabel(effect));

  function table(outcomes: readonly EffectFaultOutcome<Kind>[]): string {
    const faults = outcomes.map(({ fault }) => fault);
    const recovered = new Set(outcomes.filter(({ violations }) => violations.length === 0).map(({ fault }) => fault));
    const share = (own: readonly EffectFault<Kind>[], mode: FaultMode): string => {
      const injected = own.filter(fault => fault.mode === mode);
      return injected.length === 0
        ? ''
        : `${injected.filter(fault => recovered.has(fault)).length} of ${injected.length}`;
    };
    const rows = [...byEffect(faults)].map(([label, own]) => [
      ...[label, String(countOf(own))],
      ...faultModes.map(mode => share(own, mode)),
    ]);
    const head = ['effect', 'times', ...faultModes];
    return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |\n`).join('');
  }

  return {
    page(faults, failures) {
      const notRecovered = [...faults.map(describeFault), ...failures.map(describeFailure)].flat();
      const scenarios = Map.groupBy(faults, ({ scenario }) => scenario);
      return [
        introduction,
        `${faults.length} injected faults and ${failures.length} failure scenarios, ${notRecovered.length} not recovered.\n`,
        ...notRecovered.map(description => `- ${description}`),
        ...[...scenarios].flatMap(([scenario, own]) => [`## ${capitalize(scenario)}\n`, table(own)]),
        '## Failure scenarios\n',
        '| failure | expected result |',
        '|---|---|',
        ...failures.map(({ name, expected }) => `| ${name} | ${expected} |`),
        '',
      ].join('\n');
    },
    effectsOf: (scenario, faults) =>
      [...byEffect(faults)].map(([label, own]) => `${capitalize(scenario)}: ${label} ${countOf(own)}`),
  };
}

/** Effects on a page with their counts. */
export function effectsOn(page: string): string[] {
  return page.split(/^## /m).flatMap(section => {
    const [scenario = ''] = section.split('\n', 1);
    const rows = [...section.matchAll(/^\| (?!effect)([^|]+) \| (\d+) \|/gm)];
    return rows.map(([, effect, times]) => `${scenario}: ${effect} ${times}`);
  });
}

/** Names of the failure scenarios on a page. */
export const failureScenariosOn = (page: string): string[] =>
  [...(page.split('## Failure scenarios')[1] ?? '').matchAll(/^\| (?!failure \|)(.+?) \| /gm)].map(
    ([, name = '']) => name,
  );

const countOf = (faults: readonly EffectFault<string>[]): number =>
  new Set(faults.map(({ effect }) => `${effect.name} ${effect.nth}`)).size;

const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const describeFault = ({ scenario, fault: { effect, mode }, violations }: EffectFaultOutcome<string>): string[] =>
  violations.length === 0 ? [] : [`${scenario}, ${effect.name} (${effect.nth}), ${mode}: ${violations.join('; ')}`];

const describeFailure = ({ name, violations }: FailureScenarioOutcome): string[] =>
  violations.length === 0 ? [] : [`${name}: ${violations.join('; ')}`];
