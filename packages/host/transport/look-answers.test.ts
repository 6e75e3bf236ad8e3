import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countMarks, parseBatchOutput } from './batch.ts';

const MARK = 'd41d8cd98f';
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

test('each batched command has its own output, errors and exit code', () => {
  const { begun, answers } = parseBatchOutput(
    {
      stdout: bytes(`\n${MARK} 0\none\n\n${MARK} 0\n\n${MARK} 7\n\0\xff\n${MARK} 127\n`),
      stderr: bytes(`\n${MARK}\n\n${MARK}\naside\n\n${MARK}\n\n${MARK}\n`),
    },
    MARK,
  );
  assert.equal(begun, true);
  assert.deepEqual(
    answers.map(({ stdout, stderr, exitCode }) => [stdout.toString('latin1'), stderr.toString(), exitCode]),
    [
      ['one\n', '', 0],
      ['', 'aside\n', 7],
      ['\0\xff', '', 127],
    ],
  );
});

test('batch output before the first mark belongs to no command', () => {
  const { answers } = parseBatchOutput(
    { stdout: bytes(`welcome\n\n${MARK} 0\nmine\n${MARK} 0\n`), stderr: bytes(`warning\n\n${MARK}\n\n${MARK}\n`) },
    MARK,
  );
  assert.deepEqual(
    answers.map(({ stdout, stderr }) => [stdout.toString(), stderr.toString()]),
    [['mine', '']],
  );
});

test('a batch whose shell printed no mark has not started', () => {
  assert.deepEqual(parseBatchOutput({ stdout: bytes('no such shell'), stderr: bytes('') }, MARK), {
    begun: false,
    answers: [],
  });
});

test('a batch result with a truncated exit code is ignored', () => {
  assert.equal(
    parseBatchOutput({ stdout: bytes(`\n${MARK} 0\nx\n${MARK} 1`), stderr: bytes('') }, MARK).answers.length,
    0,
  );
});

test('batch marks are counted in chunks of any size', () => {
  const text = `\n${MARK} 0\nabc\n${MARK} 0\n${MARK}\n${MARK} 1\n`;
  for (let size = 1; size < text.length; size++) {
    const counter = countMarks(MARK);
    for (let from = 0; from < text.length; from += size) counter.saw(bytes(text.slice(from, from + size)));
    assert.equal(counter.count, 4, `in chunks of ${size}`);
  }
});
