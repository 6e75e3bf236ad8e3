import type { Run } from '../program.ts';
import { type Formula, homebrewOf } from './homebrew.ts';

export const operands = (words: readonly string[]): string[] => words.filter(word => !word.startsWith('-'));

/** `packer` for `hashicorp/tap/packer`: what a keg is called. */
export const shortName = (word: string): string => word.split('/').at(-1) ?? '';

export const fullName = (formula: Formula): string => (formula.tap ? `${formula.tap}/${formula.name}` : formula.name);

/** A formula of a tap is found by its short name only once the tap is there. */
export function find(run: Run, word: string): Formula | undefined {
  const { formulae, taps } = homebrewOf(run.mac);
  const formula = formulae.get(shortName(word));
  if (!formula || word === fullName(formula)) return formula;
  return word === formula.name && formula.tap !== undefined && taps.has(formula.tap) ? formula : undefined;
}
