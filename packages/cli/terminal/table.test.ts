import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { paintFor } from './paint.ts';
import { lineWidth, renderTable } from './table.ts';
import { clip, widthOf, wrap } from './wrap.ts';

const rows = [
  { cells: [{ text: 'sudo' }, { text: '✓ current' }], paragraphs: [] },
  {
    cells: [{ text: 'never-sleep' }, { text: '~ drift' }],
    paragraphs: ['the Mac sleeps after 1 minute, expected never', 'the screen locks'],
  },
];
const table = (width: number): string => renderTable({ titles: ['STEP', 'STATE', 'DIFFERENCE'], rows, width });

describe('a table', () => {
  test('a table without a terminal does not wrap paragraphs', () => {
    assert.equal(
      table(Number.POSITIVE_INFINITY),
      `STEP          STATE       DIFFERENCE
sudo          ✓ current
never-sleep   ~ drift     the Mac sleeps after 1 minute, expected never
                          the screen locks
`,
    );
  });

  test('a table on a terminal wraps paragraphs within their column', () => {
    assert.equal(
      table(52),
      `STEP          STATE       DIFFERENCE
sudo          ✓ current
never-sleep   ~ drift     the Mac sleeps after 1
                          minute, expected never
                          the screen locks
`,
    );
  });

  test('a table on a narrow terminal puts paragraphs below the row', () => {
    assert.equal(
      table(34),
      `STEP          STATE
   DIFFERENCE
sudo          ✓ current
never-sleep   ~ drift
   the Mac sleeps after 1 minute,
   expected never
   the screen locks
`,
    );
  });

  test('no line of a table is wider than the terminal', () => {
    for (let width = 30; width < 100; width++) {
      assert.ok(
        table(width)
          .split('\n')
          .every(line => widthOf(line) <= width),
        `at ${width} columns`,
      );
    }
  });

  test('colours do not change the columns of a table', () => {
    const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
    const painted = rows.map(row => ({ ...row, cells: row.cells.map(cell => ({ ...cell, paint: red })) }));
    const text = renderTable({ titles: ['STEP', 'STATE', 'DIFFERENCE'], rows: painted, width: 52 });
    assert.equal(stripVTControlCharacters(text), table(52));
  });
});

describe('wrapping', () => {
  test('wrap splits a word that is wider than the line', () => {
    assert.deepEqual(wrap('see SHA256:abcdefghij now', 10), ['see', 'SHA256:abc', 'defghij', 'now']);
  });

  test('widthOf counts a grapheme of several code points as one column', () => {
    assert.deepEqual(['it’s…', 'caf\u0065\u0301', '👩‍🔧!'].map(widthOf), [5, 4, 2]);
  });

  test('clip ends a truncated line with an ellipsis', () => {
    assert.equal(clip('one\n two  three', 9), 'one two …');
    assert.equal(clip('one', 9), 'one');
  });
});

describe('colours', () => {
  const text = (isTTY: boolean, colours: boolean): string =>
    paintFor({ write: () => undefined, isTTY }, colours).good('yes');

  test('paintFor colours only on a terminal without NO_COLOR', () => {
    assert.equal(text(true, true), '\u001b[32myes\u001b[39m');
    assert.equal(text(true, false), 'yes');
    assert.equal(text(false, true), 'yes');
  });

  test('lineWidth is unlimited without a terminal', () => {
    assert.equal(lineWidth({ write: () => undefined, columns: 80 }), Number.POSITIVE_INFINITY);
    assert.equal(lineWidth({ write: () => undefined, isTTY: true, columns: 132 }), 132);
  });
});
