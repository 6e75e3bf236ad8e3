/** A program Homebrew brings. */
export interface Formula {
  /** With its tap when it is not Homebrew's own: `hashicorp/tap/packer`. */
  readonly name: string;
  /** Any will do unless given. */
  readonly version?: string;
  /** Whether `brew upgrade` has to leave it alone. */
  readonly pinned: boolean;
}

/** What brew calls it once it is installed. */
export const kegOf = ({ name }: Pick<Formula, 'name'>): string => name.slice(name.lastIndexOf('/') + 1);

/** What Homebrew has, by the short name. */
export interface Kegs {
  readonly versions: ReadonlyMap<string, readonly string[]>;
  readonly pinned: ReadonlySet<string>;
  /** Ours to take off again: what was not there before us, and what was not pinned before us. */
  readonly installedByUs: ReadonlySet<string>;
  readonly pinnedByUs: ReadonlySet<string>;
}

interface BrewListing {
  /** `brew list --versions`: a name and its versions a line. */
  readonly versions: string;
  /** `brew list --pinned`: a name a line. */
  readonly pinned: string;
  /** Our own record: `installed packer` and `pinned packer`. */
  readonly record: string;
}

export function readKegs({ versions, pinned, record }: BrewListing): Kegs {
  const recorded = (what: string): Set<string> =>
    new Set(linesOf(record).flatMap(line => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : [])));
  return {
    versions: new Map(
      linesOf(versions).map(line => {
        const [name = '', ...kegs] = line.split(' ');
        return [name, kegs];
      }),
    ),
    pinned: new Set(linesOf(pinned)),
    installedByUs: recorded('installed'),
    pinnedByUs: recorded('pinned'),
  };
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');

/** What a tap offers now, by the short name, from `brew info --json=v2`. */
export function readOffered(json: string): ReadonlyMap<string, string> {
  const { formulae } = JSON.parse(json) as { formulae: { name: string; versions: { stable: string } }[] };
  return new Map(formulae.map(({ name, versions }) => [name, versions.stable]));
}

/** A keg's version may carry Homebrew's own revision: `1.15.0_1` is 1.15.0, built again. */
export const isVersion = (keg: string, wanted: string): boolean =>
  keg === wanted || keg.replace(/_\d+$/, '') === wanted;

export interface ToolAction {
  readonly action: 'install' | 'replace' | 'pin' | 'unpin' | 'uninstall';
  readonly formula: string;
  /** Why, for people. */
  readonly words: string;
}

/** What has to happen for Homebrew to have what is wanted, in this order. Nothing to do means nothing differs. */
export function toolActions(kegs: Kegs, formulae: readonly Formula[]): ToolAction[] {
  const names = new Set(formulae.map(kegOf));
  const unwanted = [...kegs.installedByUs].filter(name => !names.has(name) && kegs.versions.has(name));
  return [
    ...formulae.flatMap(formula => pourAction(kegs, formula) ?? []),
    ...formulae.flatMap(formula => pinAction(kegs, formula) ?? []),
    ...unwanted.map(removalOf),
  ];
}

export const removalOf = (name: string): ToolAction => ({
  action: 'uninstall',
  formula: name,
  words: `${name} is installed but no longer required`,
});

function pourAction(kegs: Kegs, formula: Formula): ToolAction | undefined {
  const { name, version, pinned } = formula;
  const keg = kegOf(formula);
  const present = kegs.versions.get(keg);
  if (!present) return { action: 'install', formula: name, words: `${keg} is not installed` };
  const other = version === undefined ? undefined : present.find(one => !isVersion(one, version));
  if (version === undefined || other === undefined) return undefined;
  // The grant belongs to a signature: another binary has none, and a bake then waits for SSH for ever (I26).
  const newer = pinned && isNewer(other, version);
  const words = newer
    ? `${keg} ${version} was replaced by ${other} and lost its Local Network permission`
    : `${keg} is ${other}, expected ${version}`;
  return { action: 'replace', formula: name, words };
}

function pinAction(kegs: Kegs, formula: Formula): ToolAction | undefined {
  const keg = kegOf(formula);
  const poured = pourAction(kegs, formula) !== undefined;
  // Pouring takes the pin off.
  const pinned = kegs.pinned.has(keg) && !poured;
  if (pinned === formula.pinned) return undefined;
  return formula.pinned
    ? { action: 'pin', formula: keg, words: `${keg} is not pinned, so the next brew upgrade replaces it` }
    : { action: 'unpin', formula: keg, words: `${keg} is pinned, expected unpinned` };
}

function isNewer(one: string, other: string): boolean {
  const parts = (version: string): number[] => version.split(/[._-]/).map(part => Number.parseInt(part, 10) || 0);
  const [left, right] = [parts(one), parts(other)];
  const at = left.findIndex((part, index) => part !== (right[index] ?? 0));
  return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0);
}
