import { type Blow, effectWords, type Way, ways } from './blow.ts';

/** A blow, in which part of a machine's life it fell, and what was wrong after it. */
export interface BlowOutcome {
  readonly scene: string;
  readonly blow: Blow;
  readonly wrong: readonly string[];
}

export interface TroubleOutcome {
  readonly name: string;
  readonly comesTo: string;
  readonly wrong: readonly string[];
}

const INTRODUCTION = `# The provider, killed

The whole provider, with an API server, a vendor and Macs that outlive it, is struck once at one of its effects:

- *killed before*, *killed after*: the process dies before the effect, or after it without having heard the answer; another one is started
- *refused*: the effect is not had. The API server answers 409 (or breaks the connection, where something is made anew), the vendor 5xx, a host resets the connection
- *answer lost*: the effect is had, and the process hears that the connection broke
- *another is faster*: a second provider runs beside it, because the first does not know that it is no longer the leader; the effect comes only when the second has done everything

Effects are its writes to the API server (events apart), its calls of the vendor, and the first and the last command of each job on a host; what is between them
is in [killed-anywhere.md](killed-anywhere.md). What stands for the agent asks for its certificates with the token that lies on the Mac, and registers its Node.

A blow is survived when the life goes on to its end and, at every moment: each host is in its pool, held or put aside; no two machines name one host; no two
Nodes carry one providerID; nobody changes a host that another machine holds; the VM that runs on a host is not ended. And at the end: no machine holds two
hosts, nobody who is gone holds one, no Node and no token is left behind.

What nobody can survive is not here: a vendor’s write that a provider sent, and that arrives only after the host was given back and taken by another machine.
The vendor knows no condition; the claim is looked at right before each such write, and a name is put right after it.

Written by \`npm run proofs -- provider-killed\`; a test repeats a part of the blows and every other trouble, and fails when a life has other effects than this page.
`;

export function killedPage(blows: readonly BlowOutcome[], troubles: readonly TroubleOutcome[]): string {
  const failures = [...blows.map(wordsOfBlow), ...troubles.map(wordsOfTrouble)].flat();
  const scenes = Map.groupBy(blows, ({ scene }) => scene);
  return [
    INTRODUCTION,
    `${blows.length} blows and ${troubles.length} other troubles, ${failures.length} not survived.\n`,
    ...failures.map(words => `- ${words}`),
    ...[...scenes].flatMap(([scene, own]) => [`## ${capital(scene)}\n`, table(own)]),
    '## Other troubles\n',
    '| what happens | what comes of it |',
    '|---|---|',
    ...troubles.map(({ name, comesTo }) => `| ${name} | ${comesTo} |`),
    '',
  ].join('\n');
}

/** `a whole life: create hostclaims 1`: which effects a page has, and how often. */
export function effectsOn(page: string): string[] {
  return page.split(/^## /m).flatMap(section => {
    const [scene = ''] = section.split('\n', 1);
    const rows = [...section.matchAll(/^\| (?!effect)([^|]+) \| (\d+) \|/gm)];
    return rows.map(([, effect, times]) => `${scene}: ${effect} ${times}`);
  });
}

export function effectsOf(scene: string, blows: readonly Blow[]): string[] {
  return [...byEffect(blows)].map(([words, own]) => `${capital(scene)}: ${words} ${timesOf(own)}`);
}

export const troublesOn = (page: string): string[] =>
  [...(page.split('## Other troubles')[1] ?? '').matchAll(/^\| (?!what happens)(.+?) \| /gm)].map(
    ([, name = '']) => name,
  );

const byEffect = (blows: readonly Blow[]): Map<string, Blow[]> =>
  Map.groupBy(blows, ({ effect }) => effectWords(effect));

const timesOf = (blows: readonly Blow[]): number =>
  new Set(blows.map(({ effect }) => `${effect.name} ${effect.nth}`)).size;

function table(outcomes: readonly BlowOutcome[]): string {
  const blows = outcomes.map(({ blow }) => blow);
  const survived = new Set(outcomes.filter(({ wrong }) => wrong.length === 0).map(({ blow }) => blow));
  const share = (own: readonly Blow[], way: Way): string => {
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

const capital = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

const wordsOfBlow = ({ scene, blow: { effect, way }, wrong }: BlowOutcome): string[] =>
  wrong.length === 0 ? [] : [`${scene}, ${effect.name} (${effect.nth}), ${way}: ${wrong.join('; ')}`];

const wordsOfTrouble = ({ name, wrong }: TroubleOutcome): string[] =>
  wrong.length === 0 ? [] : [`${name}: ${wrong.join('; ')}`];
