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

export interface Printed {
  /** `brew list --versions`: a name and its versions a line. */
  readonly versions: string;
  /** `brew list --pinned`: a name a line. */
  readonly pinned: string;
  /** Our own record: `installed packer` and `pinned packer`. */
  readonly record: string;
}

export function readKegs({ versions, pinned, record }: Printed): Kegs {
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
