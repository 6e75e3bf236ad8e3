/** Parsed sudo command line. */
export interface SudoCall {
  readonly never: boolean;
  readonly fromStdin: boolean;
  readonly user: string | undefined;
  readonly prompt: string | undefined;
  readonly keepEnvironment: boolean;
  readonly setHome: boolean;
  readonly login: boolean;
  readonly forget: boolean;
  readonly validate: boolean;
  readonly list: boolean;
  readonly variables: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

const LONG: Readonly<Record<string, string>> = {
  '--non-interactive': '-n',
  '--stdin': '-S',
  '--preserve-env': '-E',
  '--set-home': '-H',
  '--reset-timestamp': '-k',
  '--validate': '-v',
  '--login': '-i',
};

interface SudoFlags {
  readonly letters: Set<string>;
  readonly values: Record<string, string>;
}

/** Removes the leading flags; undefined if one is unknown. */
function takeFlags(words: string[]): SudoFlags | undefined {
  const letters = new Set<string>();
  const values: Record<string, string> = {};
  for (let given = words[0]; given !== undefined && /^-./.test(given); given = words[0]) {
    words.shift();
    if (given === '--') break;
    const word = LONG[given] ?? given.replace(/^--user=/, '-u').replace(/^--prompt=/, '-p');
    const found = /^-([nSEHkKvlis]*)(?:([up])([\s\S]*))?$/.exec(word);
    if (!found) return undefined;
    for (const letter of found[1] ?? '') letters.add(letter);
    if (found[2]) values[found[2]] = found[3] || (words.shift() ?? '');
  }
  return { letters, values };
}

/** `NAME=value` before the command. */
function takeVariables(words: string[]): Record<string, string> {
  const variables: Record<string, string> = {};
  for (let word = words[0]; word !== undefined && /^[A-Za-z_]\w*=/.test(word); word = words[0]) {
    const at = word.indexOf('=');
    variables[word.slice(0, at)] = word.slice(at + 1);
    words.shift();
  }
  return variables;
}

/** Returns the call, or an error message. */
export function readSudoCall(argv: readonly string[]): SudoCall | string {
  const words = argv.slice(1);
  const flags = takeFlags(words);
  if (!flags) return 'illegal option';
  const { letters, values } = flags;
  const variables = takeVariables(words);
  const shell = letters.has('i') || letters.has('s');
  return {
    never: letters.has('n'),
    fromStdin: letters.has('S'),
    user: values['u'],
    prompt: values['p'],
    keepEnvironment: letters.has('E'),
    setHome: letters.has('H') || letters.has('i'),
    login: letters.has('i'),
    forget: letters.has('k') || letters.has('K'),
    validate: letters.has('v'),
    list: letters.has('l'),
    variables,
    command: shell ? ['/bin/zsh', ...(words.length > 0 ? ['-c', words.map(quote).join(' ')] : ['-s'])] : words,
  };
}

const quote = (word: string): string => word.replace(/[^\w@%+=:,./-]/g, '\\$&');
