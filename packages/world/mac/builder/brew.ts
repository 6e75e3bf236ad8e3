import { pause, seconds } from '@minifleet/clock';
import type { Program, Run } from '../program.ts';
import { type Formula, homebrewOf, PREFIX, pour } from './homebrew.ts';

type Command = (run: Run, words: readonly string[]) => Promise<number> | number;

const COMMANDS: Readonly<Record<string, Command>> = {
  tap: (run, words) => tap(run, words),
  install: (run, words) => install(run, words),
  upgrade: (run, words) => upgrade(run, words),
  pin: (run, words) => pin(run, words, true),
  unpin: (run, words) => pin(run, words, false),
  list: (run, words) => list(run, words),
  shellenv: run => shellEnvironment(run),
  update: run => say(run, 'Already up-to-date.\n'),
  '--version': run => say(run, 'Homebrew 5.0.4\n'),
  '--prefix': run => say(run, `${PREFIX}\n`),
};

/** /opt/homebrew/bin/brew. */
export const brew: Program = async run => {
  const [, name = '', ...words] = run.argv;
  if (run.user.uid === 0 && !name.startsWith('--') && name !== 'shellenv') {
    run.err(
      'Error: Running Homebrew as root is extremely dangerous and no longer supported.\n' +
        'As Homebrew does not drop privileges on installation you would be giving all\nbuild scripts full access to your system.\n',
    );
    return 1;
  }
  const command = COMMANDS[name];
  if (command) return command(run, words);
  run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
  run.err(`Error: Unknown command: brew ${name}\n`);
  return 1;
};

function say(run: Run, text: string): number {
  run.out(text);
  return 0;
}

function tap(run: Run, [name]: readonly string[]): number {
  const { taps } = homebrewOf(run.mac);
  if (name === undefined) return say(run, [...taps].map(one => `${one}\n`).join(''));
  if (!taps.has(name)) run.err(`==> Tapping ${name}\nTapped 1 cask and 30 formulae.\n`);
  taps.add(name);
  return 0;
}

/** Installing what is there already is not an upgrade. */
async function install(run: Run, words: readonly string[]): Promise<number> {
  const { installed, taps } = homebrewOf(run.mac);
  let code = 0;
  for (const word of operands(words)) {
    const formula = find(run, word);
    if (!formula) {
      run.err(
        `Warning: No available formula with the name "${word}".\nError: No formulae or casks found for ${word}.\n`,
      );
      code = 1;
      continue;
    }
    const present = installed.get(formula.name);
    if (present) {
      run.err(`Warning: ${fullName(formula)} ${present.version} is already installed and up-to-date.\n`);
      continue;
    }
    if (formula.tap) taps.add(formula.tap);
    await fetched(run, formula);
  }
  return code;
}

async function upgrade(run: Run, words: readonly string[]): Promise<number> {
  const { installed, formulae } = homebrewOf(run.mac);
  const named = operands(words).map(word => word.split('/').at(-1) ?? '');
  const missing = named.find(name => !installed.has(name));
  if (missing !== undefined) {
    run.err(`Error: ${missing} not installed\n`);
    return 1;
  }
  const chosen = (named.length > 0 ? named : [...installed.keys()]).flatMap(name => formulae.get(name) ?? []);
  const outdated = chosen.filter(formula => installed.get(formula.name)?.version !== formula.version);
  const pinned = outdated.filter(({ name }) => installed.get(name)?.pinned);
  if (pinned.length > 0) {
    const list = pinned.map(formula => `${formula.name} ${formula.version}`).join(', ');
    run.err(`${named.length > 0 ? 'Error' : 'Warning'}: Not upgrading ${pinned.length} pinned package:\n${list}\n`);
  }
  for (const formula of outdated) if (!pinned.includes(formula)) await fetched(run, formula);
  return named.length > 0 && pinned.length > 0 ? 1 : 0;
}

async function fetched(run: Run, formula: Formula): Promise<void> {
  run.out(`==> Fetching ${fullName(formula)}\n`);
  await pause(run.mac.around.clock, seconds(5), run.signal);
  run.out(`==> Pouring ${formula.name}--${formula.version}.arm64_tahoe.bottle.tar.gz\n`);
  pour(run.mac, formula);
  run.out(`🍺  ${PREFIX}/Cellar/${formula.name}/${formula.version}: 5 files, 100MB\n`);
}

function pin(run: Run, words: readonly string[], pinned: boolean): number {
  const { installed } = homebrewOf(run.mac);
  for (const name of operands(words)) {
    const formula = installed.get(name.split('/').at(-1) ?? '');
    if (!formula) {
      run.err(`Error: ${name} not installed\n`);
      return 1;
    }
    if (pinned && formula.pinned) run.err(`Warning: ${name} already pinned\n`);
    formula.pinned = pinned;
  }
  return 0;
}

function list(run: Run, words: readonly string[]): number {
  const { installed } = homebrewOf(run.mac);
  const wanted = operands(words);
  const missing = wanted.find(name => !installed.has(name));
  const names = wanted.length > 0 ? wanted.filter(name => installed.has(name)) : [...installed.keys()].sort();
  const shown = words.includes('--pinned') ? names.filter(name => installed.get(name)?.pinned) : names;
  for (const name of shown)
    run.out(words.includes('--versions') ? `${name} ${installed.get(name)?.version}\n` : `${name}\n`);
  if (missing === undefined) return 0;
  if (!words.includes('--versions')) run.err(`Error: No such keg: ${PREFIX}/Cellar/${missing}\n`);
  return 1;
}

function shellEnvironment(run: Run): number {
  run.out(
    `export HOMEBREW_PREFIX="${PREFIX}";\nexport HOMEBREW_CELLAR="${PREFIX}/Cellar";\n` +
      `export HOMEBREW_REPOSITORY="${PREFIX}";\nexport PATH="${PREFIX}/bin:${PREFIX}/sbin:\${PATH}";\n`,
  );
  return 0;
}

const operands = (words: readonly string[]): string[] => words.filter(word => !word.startsWith('-'));

const fullName = (formula: Formula): string => (formula.tap ? `${formula.tap}/${formula.name}` : formula.name);

/** A formula of a tap is found by its short name only once the tap is there. */
function find(run: Run, word: string): Formula | undefined {
  const { formulae, taps } = homebrewOf(run.mac);
  const formula = formulae.get(word.split('/').at(-1) ?? '');
  if (!formula || word === fullName(formula)) return formula;
  return word === formula.name && formula.tap !== undefined && taps.has(formula.tap) ? formula : undefined;
}
