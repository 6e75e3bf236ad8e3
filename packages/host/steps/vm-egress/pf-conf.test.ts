import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chance, createChance } from '@minifleet/world';
import { parseFile } from '@minifleet/world/testing/mac';
import { BLOCK, confDifferences, containsOwnRules, STOCK, withOneBlock, withoutBlock } from './pf-conf.ts';

const OURS = [
  BLOCK,
  '# BEGIN tuist.runners\n',
  '# END tuist.runners\n',
  '  # BEGIN tuist.runners  \n',
  'anchor "tuist.runners"\n',
  'anchor tuist.runners\n',
  'load anchor "tuist.runners" from "/etc/pf.anchors/tuist.runners"\n',
  '# Tuist runner VM egress filter — see /etc/pf.anchors/tuist.runners\n',
  '#anchor "tuist.runners"\n',
  'table <vm_sources> persist { 192.168.64.0/22 }\n',
  'block drop quick from <vm_sources> to <blocked_dst>\n',
];
const OTHERS = [
  'anchor "corp.vpn"\n',
  'anchor "tuist.runners/extra"\n',
  'anchor "tuist.runners-old"\n',
  'pass in quick on lo0 all\n',
  'block drop in quick proto tcp from any to any port 5900\n',
];

interface Drawn {
  readonly text: string;
  /** The lines of others, in their order. */
  readonly foreign: string;
}

/** Apple's lines and those of others in their order, with things of ours anywhere between. */
function draw(chance: Chance): Drawn {
  const others = OTHERS.filter(() => chance.next() < 0.4);
  const foreign = [...(STOCK.match(/.*\n/g) ?? []), ...others];
  const pieces: string[] = [];
  for (const line of foreign) {
    while (chance.next() < 0.35) pieces.push(OURS[chance.integer(OURS.length)] ?? '');
    pieces.push(line);
  }
  while (chance.next() < 0.5) pieces.push(OURS[chance.integer(OURS.length)] ?? '');
  let text = pieces.join('');
  if (chance.next() < 0.2) text = text.replaceAll('\n', '\r\n');
  if (chance.next() < 0.2) text = text.trimEnd();
  return { text, foreign: foreign.join('') };
}

test('pf.conf ends with exactly one block, and foreign lines are preserved', () => {
  const chance = createChance('damaged pf.conf');
  for (let run = 0; run < 2_000; run++) {
    const { text, foreign } = draw(chance);
    const repaired = withOneBlock(text);
    assert.equal(repaired, foreign + BLOCK, text);
    assert.equal(withOneBlock(repaired), repaired);
    assert.deepEqual(confDifferences(repaired), []);
    assert.equal(withoutBlock(repaired), foreign);
    assert.equal(withoutBlock(text), foreign);
    assert.equal(text === repaired, confDifferences(text).length === 0, text);
    assert.equal(containsOwnRules(withoutBlock(text)), false);
    const { errors, loads } = parseFile(repaired);
    assert.deepEqual([errors, loads.length], [[], 2]);
  }
});

test('comments of an older block are removed, foreign lines between lone markers stay', () => {
  const older = '# BEGIN tuist.runners\n# an older comment\n\nanchor "tuist.runners"\n# END tuist.runners\n';
  assert.equal(withoutBlock(`${STOCK}${older}`), STOCK);
  // A range from the first marker to the last would take Apple's lines with it.
  const torn = `# BEGIN tuist.runners\nanchor "tuist.runners"\n${STOCK}# ours\n# END tuist.runners\n`;
  assert.equal(withoutBlock(torn), STOCK);
  const unended = `${STOCK}# BEGIN tuist.runners\nanchor "tuist.runners"\n# of others\npass all\n`;
  assert.equal(withoutBlock(unended), `${STOCK}# of others\npass all\n`);
});

test('a missing or empty pf.conf gets Apple’s lines', () => {
  assert.equal(withOneBlock(''), STOCK + BLOCK);
  assert.equal(withOneBlock('\n \n'), STOCK + BLOCK);
});

test('pf.conf differences name the actual and the expected state', () => {
  assert.deepEqual(confDifferences(undefined), ['pf.conf is missing']);
  assert.deepEqual(confDifferences(STOCK), ['pf.conf contains the block 0 times, expected once']);
  assert.deepEqual(confDifferences(STOCK + BLOCK + BLOCK), ['pf.conf contains the block 2 times, expected once']);
  assert.deepEqual(confDifferences(`${STOCK}anchor "tuist.runners"\n${BLOCK}`), [
    'pf.conf holds 1 line of older forms outside the block',
  ]);
  assert.deepEqual(confDifferences(`${STOCK}${BLOCK}pass all\n`), [
    'the block in pf.conf differs from the expected block, or is not the end of the file',
  ]);
  assert.deepEqual(confDifferences((STOCK + BLOCK).replaceAll('\n', '\r\n')), [
    'pf.conf has carriage returns, which pf rejects',
  ]);
});
