/** Kinds of `minifleet get` with their aliases. In their own file, because the parser needs them before the listings are loaded. */
const ALIASES = {
  fleets: ['fleet'],
  hosts: ['host'],
  guests: ['guest'],
  runners: ['runner'],
} as const;

export type KindName = keyof typeof ALIASES;

export const KIND_NAMES: readonly string[] = Object.entries(ALIASES).flatMap(([name, others]) => [name, ...others]);

export const kindNamed = (text: string): KindName | undefined =>
  (Object.keys(ALIASES) as KindName[]).find(name => name === text || ALIASES[name].some(other => other === text));
