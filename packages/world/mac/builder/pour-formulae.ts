import { pause, seconds } from '@minifleet/clock';
import type { Program, Run } from '../mac.ts';
import { type Formula, homebrewOf, PREFIX, pour, pourOut } from './brew.ts';
import { packer } from './packer.ts';

/** Installing an outdated formula upgrades it, unless it is pinned or `HOMEBREW_NO_INSTALL_UPGRADE` is set. */
export async function install(run: Run, words: readonly string[]): Promise<number> {
  if (!mayWrite(run)) return 1;
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
    if (present && !upgradesOnInstall(run, formula)) {
      run.err(`Warning: ${fullName(formula)} ${present.version} is already installed and up-to-date.\n`);
      continue;
    }
    if (formula.tap) taps.add(formula.tap);
    await fetched(run, formula);
  }
  return code;
}

function upgradesOnInstall(run: Run, formula: Formula): boolean {
  const present = homebrewOf(run.mac).installed.get(formula.name);
  const free = run.environment['HOMEBREW_NO_INSTALL_UPGRADE'] === undefined && present?.pinned === false;
  return free && present.version !== formula.version;
}

export async function upgrade(run: Run, words: readonly string[]): Promise<number> {
  if (!mayWrite(run)) return 1;
  const { installed, formulae } = homebrewOf(run.mac);
  const named = operands(words).map(shortName);
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

/**
 * Replaces the installed version with the one the tap offers now. A pinned formula stays; brew only prints a message
 * and exits with 0.
 */
export async function reinstall(run: Run, words: readonly string[]): Promise<number> {
  if (!mayWrite(run)) return 1;
  const { installed } = homebrewOf(run.mac);
  for (const word of operands(words)) {
    const formula = find(run, word);
    if (!formula) {
      run.err(`Error: No available formula with the name "${word}".\n`);
      return 1;
    }
    if (installed.get(formula.name)?.pinned)
      run.err(`Error: ${fullName(formula)} is pinned. You must unpin it to reinstall.\n`);
    else await fetched(run, formula);
  }
  return 0;
}

/** brew requires that the user owns the directories it writes to (derived from its messages). */
function mayWrite(run: Run): boolean {
  if (run.mac.files.stat(run.user, PREFIX).uid === run.user.uid) return true;
  run.err(
    `Error: The following directories are not writable by your user:\n${PREFIX}\n\nYou should change the ownership of these directories to your user.\n  sudo chown -R ${run.user.name} ${PREFIX}\n`,
  );
  return false;
}

/** Also removes the pin. */
export function uninstall(run: Run, words: readonly string[]): number {
  const { installed } = homebrewOf(run.mac);
  const missing = operands(words).find(word => !installed.has(shortName(word)));
  if (missing !== undefined && !words.includes('--force')) {
    run.err(`Error: No such keg: ${PREFIX}/Cellar/${missing}\n`);
    return 1;
  }
  for (const name of operands(words).map(shortName)) {
    const present = installed.get(name);
    if (!present) continue;
    run.out(`Uninstalling ${PREFIX}/Cellar/${name}/${present.version}... (5 files, 100MB)\n`);
    pourOut(run.mac, name);
  }
  return 0;
}

async function fetched(run: Run, formula: Formula): Promise<void> {
  run.out(`==> Fetching ${fullName(formula)}\n`);
  await pause(run.mac.around.clock, seconds(5), run.signal);
  run.out(`==> Pouring ${formula.name}--${formula.version}.arm64_tahoe.bottle.tar.gz\n`);
  pour(run.mac, formula);
  run.out(`🍺  ${PREFIX}/Cellar/${formula.name}/${formula.version}: 5 files, 100MB\n`);
}

export function pin(run: Run, words: readonly string[], pinned: boolean): number {
  const { installed } = homebrewOf(run.mac);
  for (const name of operands(words)) {
    const formula = installed.get(shortName(name));
    if (!formula) {
      run.err(`Error: ${name} not installed\n`);
      return 1;
    }
    if (pinned === formula.pinned) run.err(`Warning: ${name} ${pinned ? 'already' : 'not'} pinned\n`);
    formula.pinned = pinned;
  }
  return 0;
}

/** A tool that only reports its version. Any other call is recorded as unmodelled. */
const versioned =
  (answer: (version: string) => string) =>
  (version: string): Program =>
  run => {
    if (/^(--)?version$/.test(run.argv[1] ?? '')) {
      run.out(answer(version));
      return 0;
    }
    run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
    run.err(`Error: unknown command "${run.argv[1] ?? ''}"\n`);
    return 1;
  };

/** Formulae that the builder of facts §4 installs. The versions are examples. */
export const formulae = (): Formula[] => [
  { name: 'packer', tap: 'hashicorp/tap', version: '1.14.2', program: packer },
  { name: 'crane', version: '0.20.6', program: versioned(version => `${version}\n`) },
  { name: 'oras', version: '1.3.0', program: versioned(version => `Version:        ${version}+Homebrew\n`) },
];

export const operands = (words: readonly string[]): string[] => words.filter(word => !word.startsWith('-'));

/** Name of a keg: `packer` for `hashicorp/tap/packer`. */
const shortName = (word: string): string => word.split('/').at(-1) ?? '';

export const fullName = (formula: Formula): string => (formula.tap ? `${formula.tap}/${formula.name}` : formula.name);

/** A formula of a tap has a short name only once the tap is added. */
export function find(run: Run, word: string): Formula | undefined {
  const { formulae, taps } = homebrewOf(run.mac);
  const formula = formulae.get(shortName(word));
  if (!formula || word === fullName(formula)) return formula;
  return word === formula.name && formula.tap !== undefined && taps.has(formula.tap) ? formula : undefined;
}
