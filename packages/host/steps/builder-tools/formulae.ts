/** Homebrew formula. */
export interface Formula {
  /** Including its tap unless it is a core formula: `hashicorp/tap/packer`. */
  readonly name: string;
  /** Oldest version that is sufficient (default: any). A tap offers only its newest, so an exact one is gone at the next release. */
  readonly version?: string;
  /** True if `brew upgrade` must not change the version that was installed. */
  readonly pinned: boolean;
}

/** Name of the installed formula. */
export const kegOf = ({ name }: Pick<Formula, 'name'>): string => name.slice(name.lastIndexOf('/') + 1);

/** Installed formulae by short name. */
export interface Kegs {
  readonly versions: ReadonlyMap<string, readonly string[]>;
  /** Newest version at the time of its pin, as Minifleet recorded it. */
  readonly recorded: ReadonlyMap<string, string>;
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
  /** Record of Minifleet: `installed packer`, `pinned packer` and `version packer 1.15.0`. */
  readonly record: string;
}

export function readKegs({ versions, pinned, record }: BrewListing): Kegs {
  const recorded = (what: string): Set<string> =>
    new Set(linesOf(record).flatMap(line => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : [])));
  const kegs = (lines: readonly string[]): Map<string, string[]> =>
    new Map(
      lines.map(line => {
        const [name = '', ...found] = line.split(' ');
        return [name, found];
      }),
    );
  return {
    versions: kegs(linesOf(versions)),
    recorded: new Map([...kegs([...recorded('version')])].map(([name, found]) => [name, newestOf(found)])),
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

/** Compares the numbers of two versions. A Homebrew revision is a number, too: `1.15.0_1` is a rebuild of 1.15.0. */
export function isOlder(one: string, other: string): boolean {
  const parts = (version: string): number[] => version.split(/[._-]/).map(part => Number.parseInt(part, 10) || 0);
  const [left, right] = [parts(one), parts(other)];
  const at = right.findIndex((part, index) => part !== (left[index] ?? 0));
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0);
}

/** The version that Homebrew links, if older ones were not removed. */
const newestOf = (versions: readonly string[]): string =>
  versions.reduce((newest, version) => (isOlder(newest, version) ? version : newest), versions[0] ?? '');

export interface ToolAction {
  readonly action: 'install' | 'upgrade' | 'pin' | 'keep' | 'unpin' | 'uninstall';
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

function pourAction(kegs: Kegs, { name, version, ...formula }: Formula): ToolAction | undefined {
  const keg = kegOf({ ...formula, name });
  const present = kegs.versions.get(keg);
  if (!present) return { action: 'install', formula: name, words: `${keg} is not installed` };
  const newest = newestOf(present);
  if (version === undefined || !isOlder(newest, version)) return undefined;
  return { action: 'upgrade', formula: name, words: `${keg} is ${newest}, expected ${version} or later` };
}

/** Pins, and records which version it is. A version that another process replaced stays: a bake works with any that is new enough. */
function pinAction(kegs: Kegs, formula: Formula): ToolAction | undefined {
  const keg = kegOf(formula);
  const poured = pourAction(kegs, formula) !== undefined;
  // Installing removes the pin.
  const pinned = kegs.pinned.has(keg) && !poured;
  if (!formula.pinned)
    return pinned ? { action: 'unpin', formula: keg, words: `${keg} is pinned, expected unpinned` } : undefined;
  const [recorded, newest] = [kegs.recorded.get(keg), newestOf(kegs.versions.get(keg) ?? [])];
  // A Local Network permission that was clicked belongs to a code signature: another binary has none (I26).
  if (!poured && recorded !== undefined && recorded !== newest)
    return {
      action: 'keep',
      formula: keg,
      words: `${keg} ${recorded} was replaced by ${newest}, which has no Local Network permission that was clicked for ${recorded}`,
    };
  if (!pinned)
    return { action: 'pin', formula: keg, words: `${keg} is not pinned, so the next brew upgrade replaces it` };
  // Without a record the run was interrupted. The pin of an operator needs none.
  return recorded === undefined && kegs.pinnedByUs.has(keg)
    ? { action: 'pin', formula: keg, words: `the pinned version of ${keg} is not recorded` }
    : undefined;
}
