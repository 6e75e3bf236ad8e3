import { fakeClock } from '@minifleet/clock/testing';
import { runCli } from '../cli.ts';
import type { Surroundings } from '../surroundings.ts';

/** What came of one command line. */
export interface CommandLineResult {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs command lines as `main.ts` does, with what the test gives in place of the outside world. */
export const commandLine =
  (around: Partial<Surroundings> = {}) =>
  async (...argv: readonly string[]): Promise<CommandLineResult> => {
    let output = '';
    let errors = '';
    const code = await runCli(argv, {
      clock: fakeClock(),
      output: { write: text => (output += text) },
      errors: { write: text => (errors += text) },
      input: nothing(),
      signal: new AbortController().signal,
      colours: true,
      environment: {},
      home: '/nowhere',
      stateDirectory: '/nowhere',
      who: 'anna@laptop',
      ...around,
    });
    return { code, output, errors };
  };

async function* nothing(): AsyncGenerator<Uint8Array> {
  // nobody types anything
}
