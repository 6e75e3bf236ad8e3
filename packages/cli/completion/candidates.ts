import type { Command, Option } from 'commander';

/** Lists completions for the last word, which may be empty or partial. They come from the command definitions alone, without I/O. */
export function candidates(root: Command, argv: readonly string[]): string[] {
  const written = argv.slice(0, -1);
  const begun = argv.at(-1) ?? '';
  const { command, position, awaiting } = walk(root, written);
  return possible(command, { position, awaiting, begun }).filter(word => word.startsWith(begun));
}

interface CompletionState {
  readonly command: Command;
  /** Number of positional arguments given so far. */
  readonly position: number;
  /** Option whose value comes next. */
  readonly awaiting: Option | undefined;
}

function walk(root: Command, argv: readonly string[]): CompletionState {
  let place: CompletionState = { command: root, position: 0, awaiting: undefined };
  for (const word of argv) place = step(place, word);
  return place;
}

function step({ command, position, awaiting }: CompletionState, word: string): CompletionState {
  if (awaiting) return { command, position, awaiting: undefined };
  if (word.startsWith('-')) {
    const option = command.options.find(({ long, short }) => word === long || word === short);
    return { command, position, awaiting: option?.required ? option : undefined };
  }
  const below = command.commands.find(each => each.name() === word);
  return below ? { command: below, position: 0, awaiting: undefined } : { command, position: position + 1, awaiting };
}

function possible(command: Command, at: Omit<CompletionState, 'command'> & { readonly begun: string }): string[] {
  if (at.awaiting) return [...(at.awaiting.argChoices ?? [])];
  if (at.begun.startsWith('-')) return [...command.options.flatMap(({ long }) => long ?? []), '--help'];
  const below = command.commands.map(each => each.name()).filter(name => !name.startsWith('_'));
  return at.position === 0 && below.length > 0
    ? below
    : [...(command.registeredArguments[at.position]?.argChoices ?? [])];
}
