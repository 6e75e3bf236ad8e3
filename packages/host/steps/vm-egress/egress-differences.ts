import { daemonDifferences } from '../../launchd/launch-daemon.ts';
import {
  type AnchorState,
  type EgressFile,
  type EgressState,
  missingReferences,
  reloadable,
  type TableState,
} from './observe.ts';
import { confDifferences, withOneBlock } from './pf-conf.ts';
import { type DesiredEgress, type DesiredFile, EGRESS_JOB, JOB, PF_CONF, TABLES } from './render-rules.ts';

/** What differs and can be put right at once, in words. */
export const vmEgressDifferences = (seen: EgressState, wanted: DesiredEgress): string[] => [
  ...fileDifferences(seen.files.rules, wanted.rules),
  ...seen.anchors.flatMap(anchor => anchorDifferences(anchor, seen.understood, wanted.tables)),
  ...tablesLeft(seen).map(({ table, scope }) => `table ${table} is left over in ${scope}`),
  ...(seen.enabled ? [] : ['pf is disabled, expected enabled']),
  ...(holdsReference(seen) ? [] : ['Minifleet holds no pf reference']),
  ...confDifferences(seen.conf),
  ...(seen.confRefused === undefined ? [] : [`pf rejects ${PF_CONF}: ${seen.confRefused}`]),
  ...(mustReload(seen) ? referenceDifferences(seen) : []),
  ...fileDifferences(seen.files.loader, wanted.loader),
  ...daemonDifferences(seen.job, EGRESS_JOB),
];

/** One of our own: that of another ends when the other likes, and pf with it. */
const holdsReference = ({ token, references }: EgressState): boolean =>
  token !== undefined && references.includes(token);

/** What only a boot can put right: the running ruleset holds what is not ours, so pf.conf cannot be loaded over it. */
export const rebootDifferences = (seen: EgressState): string[] => (mustReload(seen) ? [] : referenceDifferences(seen));

/** Whether the whole of pf.conf must be loaded, and can be. */
export const mustReload = (seen: EgressState): boolean =>
  lostReferences(seen).length > 0 && reloadable(seen.main.running, withOneBlock(seen.conf ?? ''));

export const lostReferences = (seen: EgressState): string[] =>
  missingReferences(seen.main.running, withOneBlock(seen.conf ?? ''));

const referenceDifferences = (seen: EgressState): string[] =>
  lostReferences(seen).map(name => `the running ruleset has no ${name}: anchors below it are not evaluated`);

export function fileDifferences({ text, info }: EgressFile, { place, text: wanted }: DesiredFile): string[] {
  const { path, mode } = place;
  if (text === undefined || info === undefined) return [`${path} is missing`];
  return [
    ...(text === wanted ? [] : [`${path} has unexpected content`]),
    ...(info.mode === mode ? [] : [`${path} has mode ${octal(info.mode)}, expected ${octal(mode)}`]),
    ...(info.uid === 0 && info.gid === 0 ? [] : [`${path} belongs to ${info.uid}:${info.gid}, expected root:wheel`]),
  ];
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');

function anchorDifferences(
  { name, rules, addresses }: AnchorState,
  understood: readonly string[],
  tables: DesiredEgress['tables'],
): string[] {
  if (rules.length === 0) return [`no rules are loaded in anchor ${name}`];
  const words = sameLines(rules, understood)
    ? []
    : [
        `the rules loaded in anchor ${name} differ from the expected rules (${rules.length} loaded, ${understood.length} expected)`,
      ];
  for (const table of TABLES) {
    const held = addresses.get(table);
    if (held === undefined) words.push(`the table ${table} of ${name} is missing`);
    else if (!sameLines([...held].sort(), [...(tables.get(table) ?? [])].sort()))
      words.push(`the table ${table} of ${name} contains unexpected addresses`);
  }
  return words;
}

const sameLines = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, at) => line === other[at]);

/** Tables that keep their names busy for the next load, at whichever scope. */
function tablesLeft({ main, anchors }: EgressState): { readonly table: string; readonly scope: string }[] {
  const scopes = [{ name: 'the main ruleset', tables: main.tables }, ...anchors];
  return scopes.flatMap(({ name, tables }) =>
    tables.filter(isBusyName).map(table => ({ table: table.name, scope: name })),
  );
}

const isBusyName = ({ name, persist }: TableState): boolean => persist && TABLES.some(ours => ours === name);

/** What is still there of a filter that is not wanted. */
export function egressLeftovers(seen: EgressState): string[] {
  const { files, anchors, job, token } = seen;
  return [
    ...(job.job ? [`launchd still has the job ${JOB}`] : []),
    ...(job.place ? ['the property list of the job still exists'] : []),
    ...Object.entries(files).flatMap(([what, { info }]) => (info ? [`the ${what} file still exists`] : [])),
    ...anchors
      .filter(({ rules, tables }) => rules.length + tables.length > 0)
      .map(({ name }) => `rules are still loaded in anchor ${name}`),
    ...tablesLeft(seen).map(({ table, scope }) => `table ${table} is left over in ${scope}`),
    ...(token === undefined ? [] : ['the token of Minifleet’s pf reference still exists']),
  ];
}
