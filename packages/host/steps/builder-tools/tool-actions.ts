import { type Formula, isVersion, type Kegs, kegOf } from './formula.ts';

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
  words: `${name} is installed and no longer wanted`,
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
    ? `${keg} ${version} was replaced by ${other}, its Local Network grant is gone`
    : `${keg} is ${other}, wanted ${version}`;
  return { action: 'replace', formula: name, words };
}

function pinAction(kegs: Kegs, formula: Formula): ToolAction | undefined {
  const keg = kegOf(formula);
  const poured = pourAction(kegs, formula) !== undefined;
  // Pouring takes the pin off.
  const pinned = kegs.pinned.has(keg) && !poured;
  if (pinned === formula.pinned) return undefined;
  return formula.pinned
    ? { action: 'pin', formula: keg, words: `${keg} is not pinned, the next brew upgrade replaces it` }
    : { action: 'unpin', formula: keg, words: `${keg} is pinned, wanted free` };
}

function isNewer(one: string, other: string): boolean {
  const parts = (version: string): number[] => version.split(/[._-]/).map(part => Number.parseInt(part, 10) || 0);
  const [left, right] = [parts(one), parts(other)];
  const at = left.findIndex((part, index) => part !== (right[index] ?? 0));
  return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0);
}
