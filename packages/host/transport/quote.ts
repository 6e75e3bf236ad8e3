import type { Argv } from './transport.ts';

/** The one place where an argument vector becomes text for the login shell, which sshd always puts in between. */
export const quoteArgv = (argv: Argv): string => argv.map(quote).join(' ');

// Single quotes mean themselves in zsh, bash and sh alike; only the quote itself needs care.
function quote(argument: string): string {
  // sshd hands the text on as a C string: what follows a NUL would be cut off in silence.
  if (argument.includes('\0')) throw new RangeError('an argument of a command cannot hold a NUL byte');
  return /^[\w@%+:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
