import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitLines } from './split-lines.ts';

async function linesOf(chunks: readonly Buffer[]): Promise<string[]> {
  async function* source(): AsyncGenerator<Buffer> {
    yield* chunks;
  }
  return Array.fromAsync(splitLines(source()));
}

test('lines are split the same way for any chunks, also inside a character', async () => {
  const text = '{"a":"ü"}\n{"b":"🍏"}\n\n{"c":1}';
  const bytes = Buffer.from(text);
  for (let size = 1; size <= bytes.length; size++) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    );
    assert.deepEqual(await linesOf(chunks), text.split('\n'), `cut into ${size} bytes`);
  }
});
