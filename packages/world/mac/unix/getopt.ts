import type { Run } from '../mac.ts';

/** Flags and operands of a command line, parsed like getopt(3). */
export interface ParsedOptions {
  has(letter: string): boolean;
  value(letter: string): string | undefined;
  readonly operands: readonly string[];
}

interface OptionRules {
  /** getopt syntax: `ab:` is a flag and an option with a value. */
  readonly letters: string;
  /** Long flags, mapped to their letter. */
  readonly long?: Readonly<Record<string, string>>;
  readonly usage?: string;
  readonly usageCode?: number;
  /** Flags may follow operands. Most BSD programs do not allow this. */
  readonly permute?: boolean;
}

/** Returns the options, or the exit code after printing an error about an unknown one. */
export function parseOptions(run: Run, rules: OptionRules): ParsedOptions | number {
  const flags = new Map<string, string>();
  const words = run.argv.slice(1);
  const operands: string[] = [];
  for (let word = words.shift(); word !== undefined && word !== '--'; word = words.shift()) {
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
      if (!rules.permute) break;
      continue;
    }
    const unknown = readFlag(rules, { word, words }, flags);
    if (unknown !== undefined) return refuse(run, rules, unknown);
  }
  return {
    has: letter => flags.has(letter),
    value: letter => flags.get(letter),
    operands: [...operands, ...words],
  };
}

function readFlag(
  rules: OptionRules,
  at: Omit<OptionCluster, 'letters'>,
  flags: Map<string, string>,
): string | undefined {
  const letter = at.word.startsWith('--') ? rules.long?.[at.word.slice(2)] : undefined;
  if (letter === undefined) return readLetters({ letters: rules.letters, ...at }, flags);
  flags.set(letter, '');
  return undefined;
}

interface OptionCluster {
  readonly letters: string;
  readonly word: string;
  readonly words: string[];
}

function readLetters({ letters, word, words }: OptionCluster, flags: Map<string, string>): string | undefined {
  for (let index = 1; index < word.length; index++) {
    const letter = word.charAt(index);
    const at = letters.indexOf(letter);
    if (at < 0 || letter === ':') return letter;
    if (letters[at + 1] !== ':') {
      flags.set(letter, '');
      continue;
    }
    flags.set(letter, word.slice(index + 1) || (words.shift() ?? ''));
    break;
  }
  return undefined;
}

function refuse(run: Run, rules: OptionRules, letter: string): number {
  unmodelled(run);
  const [name = ''] = run.argv;
  run.err(`${basename(name)}: illegal option -- ${letter}\n`);
  if (rules.usage) run.err(`usage: ${rules.usage}\n`);
  return rules.usageCode ?? 1;
}

const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const nameOf = (run: Run): string => basename(run.argv[0] ?? '');

/** Records this command line in the journal as unmodelled. */
export function unmodelled(run: Run): void {
  run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
}

/** Rejects a form of a command that is not modelled. */
export function refuseForm(run: Run, message = 'not modelled'): number {
  unmodelled(run);
  run.err(`${nameOf(run)}: ${message}\n`);
  return 64;
}
