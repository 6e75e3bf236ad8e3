/** A `minifleet` command on a page: `minifleet host doctor <address> -f x` is `host doctor` with the option `-f`. */
export interface MinifleetCommand {
  readonly words: readonly string[];
  readonly options: readonly string[];
}

/** Commands of a page, at the start of a line, after a `$` or in backticks. */
export const minifleetCommands = (text: string): MinifleetCommand[] =>
  [...text.matchAll(/(?:^(?:\$ )?|`)minifleet ([^`#\n]+)/gm)].map(([, line = '']) => ({
    words: (/^([a-z-]+ ?)+/.exec(line)?.[0] ?? '').split(' ').filter(word => /^[a-z]/.test(word)),
    options: line.split(' ').filter(part => part.startsWith('-')),
  }));

/** Runs a `minifleet` command line. */
export type RunCommand = (...argv: string[]) => Promise<{ readonly code: number; readonly output: string }>;

/** Returns commands and options that do not exist, according to `--help`. */
export async function unknownCommands(text: string, run: RunCommand): Promise<string[]> {
  const problems = await Promise.all(minifleetCommands(text).map(command => problemsOf(command, run)));
  return problems.flat();
}

async function problemsOf({ words, options }: MinifleetCommand, run: RunCommand): Promise<string[]> {
  const { code, output } = await run(...words, '--help');
  const called = `minifleet ${words.join(' ')}`;
  // The words after the command are its arguments: `get hosts`.
  const [, command = ''] = /^Usage: minifleet ((?:[a-z-]+ )+)/.exec(output) ?? [];
  if (code !== 0 || command === '' || !`${words.join(' ')} `.startsWith(command)) return [called];
  return options.filter(option => !output.includes(option)).map(option => `${called} ${option}`);
}
