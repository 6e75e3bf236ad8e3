import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type Blow, ways } from './blow.ts';
import { effectsOn, troublesOn } from './blow-page.ts';
import { effectsOf } from './killed-page.ts';
import { type Scene, scenes } from './scenes.ts';
import { blowsIn, strikeScene } from './strike-scene.ts';
import { liveTrouble } from './trouble.ts';
import { troubles } from './troubles.ts';

const PAGE = 'docs/proofs/provider-killed.md';

/** Each effect meets one way, each way in turn; all ways at all of them take minutes, and are on the page. */
function inTurn(blows: readonly Blow[]): Blow[] {
  const effects = [...Map.groupBy(blows, ({ effect }) => effect).values()];
  return effects.flatMap((own, turn) => own.slice(turn % own.length, (turn % own.length) + 1));
}

/** Selects all effects of a whole life (those at the vendor with every fault), and every second effect of the other scenes. */
const metIn = (scene: Scene, blows: readonly Blow[]): Blow[] =>
  scene === scenes[0]
    ? [...inTurn(blows.filter(isNotAtVendor)), ...blows.filter(blow => !isNotAtVendor(blow))]
    : inTurn(blows).filter((_, turn) => turn % 2 === 0);

const isNotAtVendor = ({ effect }: Blow): boolean => effect.kind !== 'vendor';

describe('a provider is struck at each of its effects, and the life goes on to its end with nothing wrong on the way', () => {
  const found: string[] = [];

  for (const scene of scenes)
    test(scene.name, async () => {
      const blows = await blowsIn(scene);
      found.push(...effectsOf(scene.name, blows));
      const met = metIn(scene, blows);
      assert.ok(met.length >= 5, `${met.length} blows`);
      if (scene === scenes[0]) assert.deepEqual(new Set(met.map(({ way }) => way)), new Set(ways));
      const outcomes = [];
      for (const blow of met) outcomes.push(await strikeScene(scene, blow));
      assert.deepEqual(
        outcomes.filter(({ wrong }) => wrong.length > 0),
        [],
      );
    });

  test('the page has every effect of these lives, and every blow on it was survived', () => {
    const page = readFileSync(PAGE, 'utf8');
    assert.deepEqual(effectsOn(page), found, 'run: npm run proofs -- provider-killed');
    assert.match(page, /^\d+ blows and \d+ other troubles, 0 not survived\.$/m);
  });
});

describe('whatever else happens, nothing is wrong on the way, and it comes to what it should', () => {
  for (const trouble of troubles)
    test(`${trouble.name}: ${trouble.comesTo}`, async () => {
      assert.deepEqual(await liveTrouble(trouble), []);
    });

  test('the page has every trouble', () => {
    assert.deepEqual(
      troublesOn(readFileSync(PAGE, 'utf8')),
      troubles.map(({ name }) => name),
      'run: npm run proofs -- provider-killed',
    );
  });
});
