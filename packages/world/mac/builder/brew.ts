import { type Mac, m1, type Program, type Run, root } from '../mac.ts';
import { find, fullName, install, operands, pin, reinstall, uninstall, upgrade } from './pour-formulae.ts';

export const PREFIX = '/opt/homebrew';

export interface Formula {
  readonly name: string;
  /** Tap of the formula, if it is not in homebrew-core. Packer is not, since its licence changed (S3). */
  readonly tap?: string;
  /** Version the tap offers now. A test raises it to make an upgrade available. */
  version: string;
  readonly program: (version: string) => Program;
}

interface Homebrew {
  readonly taps: Set<string>;
  readonly formulae: Map<string, Formula>;
  readonly installed: Map<string, { version: string; pinned: boolean }>;
}

const KEY = Symbol('homebrew');

export const homebrewOf = (mac: Mac): Homebrew =>
  mac.state(KEY, () => ({ taps: new Set<string>(), formulae: new Map(), installed: new Map() }));

/** Final state after the installer. The prefix belongs to the user who ran it, because brew refuses to run as root. */
export function installHomebrew(mac: Mac, brew: Program): void {
  for (const folder of [PREFIX, `${PREFIX}/bin`, `${PREFIX}/Cellar`, `${PREFIX}/etc`, `${PREFIX}/var`]) {
    mac.files.makeDirectory(root, folder, { parents: true });
    mac.files.chown(root, folder, m1.uid, m1.gid);
  }
  mac.install(`${PREFIX}/bin/brew`, brew);
}

/** Pours a version. The file and its signature are new, so grants to the old file no longer apply (I26; S3). */
export function pour(mac: Mac, formula: Formula): void {
  const { installed } = homebrewOf(mac);
  const path = `${PREFIX}/bin/${formula.name}`;
  mac.install(path, formula.program(formula.version));
  installed.set(formula.name, { version: formula.version, pinned: installed.get(formula.name)?.pinned ?? false });
  mac.around.journal.add(`mac/${mac.options.name}`, 'brew pour', `${formula.name} ${formula.version}`);
}

/** Removes a formula and its program. */
export function pourOut(mac: Mac, name: string): void {
  homebrewOf(mac).installed.delete(name);
  mac.files.remove(root, `${PREFIX}/bin/${name}`);
  mac.around.journal.add(`mac/${mac.options.name}`, 'brew uninstall', name);
}

type BrewCommand = (run: Run, words: readonly string[]) => Promise<number> | number;

const COMMANDS: Readonly<Record<string, BrewCommand>> = {
  tap,
  install,
  upgrade,
  reinstall,
  uninstall,
  pin: (run, words) => pin(run, words, true),
  unpin: (run, words) => pin(run, words, false),
  list,
  info,
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

function list(run: Run, words: readonly string[]): number {
  const { installed } = homebrewOf(run.mac);
  const requested = operands(words);
  const missing = requested.find(name => !installed.has(name));
  const names = requested.length > 0 ? requested.filter(name => installed.has(name)) : [...installed.keys()].sort();
  const shown = words.includes('--pinned') ? names.filter(name => installed.get(name)?.pinned) : names;
  for (const name of shown)
    run.out(words.includes('--versions') ? `${name} ${installed.get(name)?.version}\n` : `${name}\n`);
  if (missing === undefined) return 0;
  if (!words.includes('--versions')) run.err(`Error: No such keg: ${PREFIX}/Cellar/${missing}\n`);
  return 1;
}

/** `info --json=v2 <formula>…`: prints only the version the tap offers now. */
function info(run: Run, words: readonly string[]): number {
  if (!words.includes('--json=v2')) {
    run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
    return 1;
  }
  const found = operands(words).map(word => ({ word, formula: find(run, word) }));
  const missing = found.find(({ formula }) => !formula);
  if (missing) {
    run.err(`Error: No available formula with the name "${missing.word}".\n`);
    return 1;
  }
  const formulae = found.flatMap(({ formula }) =>
    formula ? [{ name: formula.name, full_name: fullName(formula), versions: { stable: formula.version } }] : [],
  );
  return say(run, `${JSON.stringify({ formulae, casks: [] }, null, 2)}\n`);
}

function shellEnvironment(run: Run): number {
  run.out(
    `export HOMEBREW_PREFIX="${PREFIX}";\nexport HOMEBREW_CELLAR="${PREFIX}/Cellar";\n` +
      `export HOMEBREW_REPOSITORY="${PREFIX}";\nexport PATH="${PREFIX}/bin:${PREFIX}/sbin:\${PATH}";\n`,
  );
  return 0;
}
