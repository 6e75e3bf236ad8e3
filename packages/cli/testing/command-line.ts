import { fakeClock } from '@minifleet/clock/testing';
import { type ExtraCommands, runCli } from '../cli.ts';
import type { CliContext } from '../context.ts';

export interface CommandLineResult {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs command lines as `main.ts` does, in the context that the test gives. */
export const commandLine =
  (context: Partial<CliContext> = {}, extraCommands?: ExtraCommands) =>
  async (...argv: readonly string[]): Promise<CommandLineResult> => {
    let output = '';
    let errors = '';
    const testContext: CliContext = {
      clock: fakeClock(),
      output: { write: text => (output += text) },
      errors: { write: text => (errors += text) },
      input: emptyInput(),
      signal: new AbortController().signal,
      colours: true,
      environment: {},
      home: '/nowhere',
      stateDirectory: '/nowhere',
      who: 'anna@laptop',
      ...context,
    };
    const code = await runCli(argv, testContext, extraCommands);
    return { code, output, errors };
  };

async function* emptyInput(): AsyncGenerator<Uint8Array> {
  // no input
}
