import type { Argv } from './transport.ts';

/** The one place where an argument vector becomes text for the login shell, which sshd always puts in between. */
export const quoteArgv = (argv: Argv): string => argv.map(quote).join(' ');

// Single quotes mean themselves in zsh, bash and sh alike; only the quote itself needs care.
const quote = (argument: string): string =>
  /^[\w@%+:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
