import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testHost } from '../testing/test-host.ts';
import { drift, type PlannedStep } from './step.ts';
import { bring } from './testing/bring.ts';
import { anyStep } from './testing/small-steps.ts';

/** Steps that differ as long as their letter is in `broken`, and record that they were inspected or changed. */
function lettered(letters: string, broken: Set<string>, onChange: (letter: string) => void = () => undefined) {
  const log: string[] = [];
  const steps: PlannedStep[] = letters.split('').map(letter =>
    anyStep(letter, {
      async inspect(host) {
        log.push(letter);
        await host.query(['/usr/bin/true']);
        return drift(broken.has(letter) ? `${letter} is broken` : []);
      },
      async change() {
        log.push(`${letter}!`);
        broken.delete(letter);
        onChange(letter);
        return [];
      },
    }),
  );
  return { steps, said: () => log.join('') };
}

test('after a changed step the steps up to the next change are inspected, after the last one all', async () => {
  const { steps, said } = lettered('abcdef', new Set('bd'));
  const { outcome, roundTrips } = await bring(testHost(), steps);
  assert.deepEqual([outcome, said()], ['converged', 'abcdefb!bcdd!def']);
  assert.equal(roundTrips, 6);
});

test('a later step that a change breaks is found and repaired', async () => {
  const broken = new Set('ac');
  const { steps, said } = lettered('abcde', broken, letter => letter === 'a' && broken.add('e'));
  assert.equal((await bring(testHost(), steps)).outcome, 'converged');
  assert.equal(said(), 'abcdea!abcc!cdee!e');
});

test('a step that another change repaired is left alone, and later ones are inspected again', async () => {
  const broken = new Set('ac');
  const { steps, said } = lettered('abcd', broken, letter => {
    if (letter !== 'a') return;
    broken.delete('c');
    broken.add('d');
  });
  assert.equal((await bring(testHost(), steps)).outcome, 'converged');
  assert.equal(said(), 'abcda!abcdd!d');
});
