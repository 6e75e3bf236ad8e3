import { errorMessage } from '../files/file-system.ts';
import { type Program, type Programs, type Run, root } from '../mac.ts';

import { type Flavour, flavours } from './flavour.ts';
import { runScript } from './run-script.ts';

/** `zsh -c text`, `bash -s args < text`, `sh file args`. */
const shell =
  (flavour: Flavour): Program =>
  async run => {
    const { flags, words } = readFlags(run.argv.slice(1));
    const unknown = flags.find(flag => !/^(-[cselixuf]+o?|pipefail|--login|--noprofile|--norc|-o)$/.test(flag));
    if (unknown) return refuse(run, flavour, unknown);
    const environment = flavour.name === 'zsh' ? withZshenv(run) : run.environment;
    const given = await scriptOf(run, { flavour, flags, words });
    return typeof given === 'number' ? given : runScript({ ...run, environment }, { ...given, flavour, flags });
  };

function readFlags(argv: readonly string[]): { readonly flags: string[]; readonly words: string[] } {
  const words = [...argv];
  const flags: string[] = [];
  while (words[0] !== undefined && /^[-+]./.test(words[0])) {
    const flag = words.shift() ?? '';
    if (flag === '--') break;
    flags.push(flag);
    if (/^-[a-z]*o$/.test(flag)) flags.push(words.shift() ?? '');
  }
  return { flags, words };
}

interface ShellArguments {
  readonly flavour: Flavour;
  readonly flags: readonly string[];
  readonly words: readonly string[];
}

interface ScriptArguments {
  readonly text: string;
  readonly name: string;
  readonly positional: readonly string[];
}

async function scriptOf(run: Run, { flavour, flags, words }: ShellArguments): Promise<ScriptArguments | number> {
  const takesCommand = flags.some(flag => /^-[a-z]*c/.test(flag));
  const [first, ...rest] = words;
  if (takesCommand && first === undefined) {
    run.err(`${flavour.name}: -c: option requires an argument\n`);
    return 2;
  }
  if (takesCommand) return { text: first ?? '', name: rest[0] ?? flavour.name, positional: rest.slice(1) };
  if (first === undefined || flags.some(flag => /^-[a-z]*s/.test(flag)))
    return { text: (await run.readStdin()).toString(), name: flavour.name, positional: words };
  const path = first.startsWith('/') ? first : `${run.directory}/${first}`;
  try {
    return { text: run.mac.files.read(run.user, path).toString(), name: first, positional: rest };
  } catch (error) {
    run.err(
      flavour.name === 'zsh'
        ? `zsh: can't open input file: ${first}\n`
        : `${flavour.name}: ${first}: ${errorMessage(error)}\n`,
    );
    return 127;
  }
}

function refuse(run: Run, flavour: Flavour, flag: string): number {
  run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
  run.err(`${flavour.name}: bad option: ${flag}\n`);
  return 1;
}

/** A non-interactive, non-login zsh reads only /etc/zshenv (facts host-bootstrap 4.3). */
function withZshenv(run: Run): Readonly<Record<string, string>> {
  if (!run.mac.files.exists(root, '/etc/zshenv')) return run.environment;
  const environment: Record<string, string> = { ...run.environment };
  const text = run.mac.files.read(root, '/etc/zshenv').toString();
  for (const [, name = '', double, single, bare] of text.matchAll(/^\s*export\s+(\w+)=(?:"([^"]*)"|'([^']*)'|(\S*))/gm))
    environment[name] = (double ?? single ?? bare ?? '').replace(
      /\$\{?(\w+)\}?/g,
      (_, other: string) => environment[other] ?? '',
    );
  return environment;
}

export const shellPrograms: Programs = {
  '/bin/zsh': shell(flavours.zsh),
  '/bin/bash': shell(flavours.bash),
  '/bin/sh': shell(flavours.sh),
};
