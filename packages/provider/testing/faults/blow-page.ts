import type { Effect } from '../../program/testing/life.ts';
import { type Blow, type Way, ways } from './blow.ts';

/** A blow, in which part of a life it fell, and what was wrong after it. */
export interface BlowOutcome<Kind extends string = Effect['kind']> {
  readonly scene: string;
  readonly blow: Blow<Kind>;
  readonly wrong: readonly string[];
}

export interface TroubleOutcome {
  readonly name: string;
  readonly comesTo: string;
  readonly wrong: readonly string[];
}

export interface PageOptions<Kind extends string> {
  readonly introduction: string;
  /** Name of an effect on the page. Effects with the same name share a row. */
  readonly effectWords: (effect: Effect<Kind>) => string;
}

/** The page of a program that was struck at each of its effects, and how it is read again. */
export interface BlowPage<Kind extends string> {
  readonly page: (blows: readonly BlowOutcome<Kind>[], troubles: readonly TroubleOutcome[]) => string;
  /** `A whole life: create hostclaims 1`: which effects a scene has, and how often, as `effectsOn` gives them. */
  readonly effectsOf: (scene: string, blows: readonly Blow<Kind>[]) => string[];
}

export function blowPage<Kind extends string>({ introduction, effectWords }: PageOptions<Kind>): BlowPage<Kind> {
  const byEffect = (blows: readonly Blow<Kind>[]): Map<string, Blow<Kind>[]> =>
    Map.groupBy(blows, ({ effect }) => effectWords(effect));

  function table(outcomes: readonly BlowOutcome<Kind>[]): string {
    const blows = outcomes.map(({ blow }) => blow);
    const survived = new Set(outcomes.filter(({ wrong }) => wrong.length === 0).map(({ blow }) => blow));
    const share = (own: readonly Blow<Kind>[], way: Way): string => {
      const met = own.filter(blow => blow.way === way);
      return met.length === 0 ? '' : `${met.filter(blow => survived.has(blow)).length} of ${met.length}`;
    };
    const rows = [...byEffect(blows)].map(([words, own]) => [
      ...[words, String(timesOf(own))],
      ...ways.map(way => share(own, way)),
    ]);
    const head = ['effect', 'times', ...ways];
    return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |\n`).join('');
  }

  return {
    page(blows, troubles) {
      const failures = [...blows.map(wordsOfBlow), ...troubles.map(wordsOfTrouble)].flat();
      const scenes = Map.groupBy(blows, ({ scene }) => scene);
      return [
        introduction,
        `${blows.length} blows and ${troubles.length} other troubles, ${failures.length} not survived.\n`,
        ...failures.map(words => `- ${words}`),
        ...[...scenes].flatMap(([scene, own]) => [`## ${capital(scene)}\n`, table(own)]),
        '## Other troubles\n',
        '| what happens | what comes of it |',
        '|---|---|',
        ...troubles.map(({ name, comesTo }) => `| ${name} | ${comesTo} |`),
        '',
      ].join('\n');
    },
    effectsOf: (scene, blows) =>
      [...byEffect(blows)].map(([words, own]) => `${capital(scene)}: ${words} ${timesOf(own)}`),
  };
}

/** Which effects a page has, and how often. */
export function effectsOn(page: string): string[] {
  return page.split(/^## /m).flatMap(section => {
    const [scene = ''] = section.split('\n', 1);
    const rows = [...section.matchAll(/^\| (?!effect)([^|]+) \| (\d+) \|/gm)];
    return rows.map(([, effect, times]) => `${scene}: ${effect} ${times}`);
  });
}

export const troublesOn = (page: string): string[] =>
  [...(page.split('## Other troubles')[1] ?? '').matchAll(/^\| (?!what happens)(.+?) \| /gm)].map(
    ([, name = '']) => name,
  );

const timesOf = (blows: readonly Blow<string>[]): number =>
  new Set(blows.map(({ effect }) => `${effect.name} ${effect.nth}`)).size;

const capital = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

const wordsOfBlow = ({ scene, blow: { effect, way }, wrong }: BlowOutcome<string>): string[] =>
  wrong.length === 0 ? [] : [`${scene}, ${effect.name} (${effect.nth}), ${way}: ${wrong.join('; ')}`];

const wordsOfTrouble = ({ name, wrong }: TroubleOutcome): string[] =>
  wrong.length === 0 ? [] : [`${name}: ${wrong.join('; ')}`];
