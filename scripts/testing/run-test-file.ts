import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** Runs a file of tests on its own, as the runner of a whole suite would. */
export function runTestFile(
  context: TestContext,
  { name, text, flags }: { readonly name: string; readonly text: string; readonly flags: readonly string[] },
): SpawnSyncReturns<string> {
  const directory = mkdtempSync(join(tmpdir(), 'test-file-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, name);
  writeFileSync(file, text);
  // The test runner sets this for its child processes. It would change the output of this separate run.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  return spawnSync('node', ['--test', ...flags, file], { encoding: 'utf8', env: environment, timeout: 20_000 });
}
