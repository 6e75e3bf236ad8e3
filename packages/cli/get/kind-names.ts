/** What can be shown, each with the other names it goes by. Apart from what shows it: the command line is parsed before that is loaded. */
const ALIASES = {
  fleets: ['fleet'],
  hosts: ['host'],
  guests: ['guest'],
  runners: ['runner'],
  claims: ['claim'],
} as const;

export type KindName = keyof typeof ALIASES;

export const KIND_NAMES: readonly string[] = Object.entries(ALIASES).flatMap(([name, others]) => [name, ...others]);

export const kindNamed = (text: string): KindName | undefined =>
  (Object.keys(ALIASES) as KindName[]).find(name => name === text || ALIASES[name].some(other => other === text));
