import type { CliContext } from '@minifleet/cli';
import { commandLine } from '@minifleet/cli/testing';
import { devCommands } from '../dev-commands.ts';

/** Runs command lines as the checkout's `minifleet` does. */
export const devCommandLine = (context: Partial<CliContext> = {}): ReturnType<typeof commandLine> =>
  commandLine(context, devCommands);
