/** Homebrew formula. */
export interface Formula {
  /** Including its tap unless it is a core formula: `hashicorp/tap/packer`. */
  readonly name: string;
  /** Default: any version. */
  readonly version?: string;
  /** True if `brew upgrade` must not change it. */
  readonly pinned: boolean;
}

/** Name of the installed formula. */
export const kegOf = ({ name }: Pick<Formula, 'name'>): string => name.slice(name.lastIndexOf('/') + 1);

/** Installed formulae by short name. */
export interface Kegs {
  readonly versions: ReadonlyMap<string, readonly string[]>;
  readonly pinned: ReadonlySet<string>;
  /** Installed or pinned by Minifleet, and therefore removed or unpinned with the step. */
  readonly installedByUs: ReadonlySet<string>;
  readonly pinnedByUs: ReadonlySet<string>;
}

interface BrewListing {
  /** `brew list --versions`: a name and its versions per line. */
  readonly versions: string;
  /** `brew list --pinned`: a name per line. */
  readonly pinned: string;
  /** Record of Minifleet: `installed packer` and `pinned packer`. */
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

/** Offered versions by short name, from `brew info --json=v2`. */
export function readOffered(json: string): ReadonlyMap<string, string> {
  const { formulae } = JSON.parse(json) as { formulae: { name: string; versions: { stable: string } }[] };
  return new Map(formulae.map(({ name, versions }) => [name, versions.stable]));
}

/** A version may have a Homebrew revision: `1.15.0_1` is a rebuild of 1.15.0. */
export const isVersion = (keg: string, desired: string): boolean =>
  keg === desired || keg.replace(/_\d+$/, '') === desired;

export interface ToolAction {
  readonly action: 'install' | 'replace' | 'pin' | 'unpin' | 'uninstall';
  readonly formula: string;
  /** Reason, for operators. */
  readonly words: string;
}

/** Actions that bring Homebrew to the desired state, in order. No action means no difference. */
export function toolActions(kegs: Kegs, formulae: readonly Formula[]): ToolAction[] {
  const names = new Set(formulae.map(kegOf));
  const obsolete = [...kegs.installedByUs].filter(name => !names.has(name) && kegs.versions.has(name));
  return [
    ...formulae.flatMap(formula => pourAction(kegs, formula) ?? []),
    ...formulae.flatMap(formula => pinAction(kegs, formula) ?? []),
    ...obsolete.map(removalOf),
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
  // The permission belongs to a code signature: another binary has none, and a bake then waits for SSH forever (I26).
  const newer = pinned && isNewer(other, version);
  const words = newer
    ? `${keg} ${version} was replaced by ${other} and lost its Local Network permission`
    : `${keg} is ${other}, expected ${version}`;
  return { action: 'replace', formula: name, words };
}

function pinAction(kegs: Kegs, formula: Formula): ToolAction | undefined {
  const keg = kegOf(formula);
  const poured = pourAction(kegs, formula) !== undefined;
  // Installing removes the pin.
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
