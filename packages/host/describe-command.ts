import type { Argv } from './transport/transport.ts';

const SHELL = /^(\/bin\/)?(sh|bash|zsh)$/;

/** How a command is named to people: without `sudo -n`, and a script by its name and arguments, never by its text. */
export function describeCommand(argv: Argv): string {
  const words = argv[0] === 'sudo' && argv[1] === '-n' ? argv.slice(2) : argv;
  const inline = SHELL.test(words[0] ?? '') && words[1] === '-c';
  return (inline ? words.slice(3) : words).join(' ');
}
