import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type Blow, ways } from '@minifleet/provider/testing/faults/blow';
import { effectsOn, troublesOn } from '@minifleet/provider/testing/faults/blow-page';
import type { RunnersEffect } from './blow.ts';
import { effectsOf } from './killed-page.ts';
import { scenes } from './scenes.ts';
import { blowsIn, liveScene, strikeScene } from './strike-scene.ts';
import { liveTrouble } from './trouble.ts';
import { troubles } from './troubles.ts';
import { wrongPrograms } from './wrong-programs.ts';

const PAGE = 'docs/proofs/runners-killed.md';

/** Each effect meets one way, each way in turn; all ways at all of them take minutes, and are on the page. */
function inTurn(blows: readonly Blow<RunnersEffect>[]): Blow<RunnersEffect>[] {
  const effects = [...Map.groupBy(blows, ({ effect }) => effect).values()];
  return effects.flatMap((own, turn) => own.slice(turn % own.length, (turn % own.length) + 1));
}

/** GitHub reads and status writes are covered where a pool is created. */
const isPlain = ({ effect: { kind, name } }: Blow<RunnersEffect>): boolean =>
  kind === 'forge read' || name === 'patch runnerpools/status';

describe('the runners program is struck at each of its effects, and the life goes on to its end with nothing wrong on the way', () => {
  const found: string[] = [];

  for (const scene of scenes)
    test(scene.name, async () => {
      const blows = await blowsIn(scene);
      found.push(...effectsOf(scene.name, blows));
      const met = inTurn(scene === scenes[0] ? blows : blows.filter(blow => !isPlain(blow)));
      assert.ok(met.length >= 8, `${met.length} blows`);
      if (scene === scenes[0]) assert.deepEqual(new Set(met.map(({ way }) => way)), new Set(ways));
      const outcomes = [];
      for (const blow of met) outcomes.push(await strikeScene(scene, blow));
      assert.deepEqual(
        outcomes.filter(({ wrong }) => wrong.length > 0),
        [],
      );
    });

  test('the runners-killed page lists every effect as survived', () => {
    const page = readFileSync(PAGE, 'utf8');
    assert.deepEqual(effectsOn(page), found, 'run: npm run proofs -- runners-killed');
    assert.match(page, /^\d+ blows and \d+ other troubles, 0 not survived\.$/m);
  });
});

describe('whatever else happens, nothing is wrong on the way, and it comes to what it should', () => {
  for (const trouble of troubles)
    test(`${trouble.name}: ${trouble.comesTo}`, async () => {
      assert.deepEqual(await liveTrouble(trouble), []);
    });

  test('the runners-killed page lists every fault', () => {
    assert.deepEqual(
      troublesOn(readFileSync(PAGE, 'utf8')),
      troubles.map(({ name }) => name),
      'run: npm run proofs -- runners-killed',
    );
  });
});

describe('a wrong program is found: one that', () => {
  for (const { name, scene: named, tamper, found } of wrongPrograms)
    test(name, async () => {
      const scene = scenes.find(each => each.name === named);
      assert.ok(scene);
      const { wrong } = await liveScene({ ...scene, options: { tamper } });
      assert.match(wrong.join('\n'), found);
    });
});
