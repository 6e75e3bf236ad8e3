/** What a pfctl command line asks for. */
export interface PfctlArguments {
  readonly anchor: string;
  readonly file?: string;
  readonly dry: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly enable: boolean;
  readonly disable: boolean;
  readonly enableReference: boolean;
  readonly releaseToken?: string;
  readonly flush?: string;
  readonly show?: string;
  readonly table?: string;
  readonly tableCommand?: string;
  /** Addresses after the options. */
  readonly operands: readonly string[];
}

export class PfctlUsage extends Error {
  override readonly name = 'PfctlUsage';
}

const TAKES_VALUE = 'aFfstTXDiKkpxw';
const FLAGS = 'nqveEdrRNAOoghzmP';
const FIELDS = new Map<string, string>(
  Object.entries({ a: 'anchor', f: 'file', F: 'flush', s: 'show', t: 'table', T: 'tableCommand', X: 'releaseToken' }),
);
const SWITCHES = new Map<string, string>(
  Object.entries({ n: 'dry', q: 'quiet', v: 'verbose', e: 'enable', d: 'disable', E: 'enableReference' }),
);

/** getopt(3): flags may be joined (`-nf file`), a value may follow at once (`-sr`). */
export function parsePfctlArguments(argv: readonly string[]): PfctlArguments {
  const found: Record<string, unknown> = {};
  const operands: string[] = [];
  const words = argv.slice(1);
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('-') || word === '-') operands.push(word);
    else option(word, words, found);
  }
  const no = { dry: false, quiet: false, verbose: false, enable: false, disable: false, enableReference: false };
  return { anchor: '', ...no, ...found, operands };
}

function option(word: string, following: string[], found: Record<string, unknown>): void {
  for (let letter = 1; letter < word.length; letter++) {
    const flag = word[letter] ?? '';
    if (TAKES_VALUE.includes(flag)) {
      const joined = word.slice(letter + 1);
      const value = joined === '' ? following.shift() : joined;
      if (value === undefined) throw new PfctlUsage(`pfctl: option requires an argument -- ${flag}`);
      found[known(FIELDS, flag)] = value;
      return;
    }
    if (!FLAGS.includes(flag)) throw new PfctlUsage(`pfctl: illegal option -- ${flag}`);
    found[known(SWITCHES, flag)] = true;
  }
}

function known(fields: ReadonlyMap<string, string>, flag: string): string {
  const field = fields.get(flag);
  if (!field) throw new PfctlUsage(`-${flag}`, { cause: 'unmodelled' });
  return field;
}
