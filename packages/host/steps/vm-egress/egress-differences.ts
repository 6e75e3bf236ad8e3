import { daemonDifferences } from '../../launchd/launch-daemon.ts';
import {
  type AnchorState,
  type EgressFile,
  type EgressState,
  missingReferences,
  refersToBlock,
  reloadable,
  type TableState,
} from './observe.ts';
import { BLOCK, confDifferences, containsOwnRules, withOneBlock, withoutBlock } from './pf-conf.ts';
import { BOOT_ANCHOR, type DesiredEgress, type DesiredFile, EGRESS_JOB, JOB, PF_CONF, TABLES } from './render-rules.ts';

/** Differences that can be repaired immediately. */
export const vmEgressDifferences = (observed: EgressState, desired: DesiredEgress): string[] => [
  ...fileDifferences(observed.files.rules, desired.rules),
  ...observed.anchors.flatMap(anchor => anchorDifferences(anchor, observed.understood, desired.tables)),
  ...tablesLeft(observed).map(({ table, scope }) => `table ${table} is left over in ${scope}`),
  ...(observed.enabled ? [] : ['pf is disabled, expected enabled']),
  ...(holdsReference(observed) ? [] : ['Minifleet holds no pf reference']),
  ...confDifferences(observed.conf),
  ...(observed.confRefused === undefined ? [] : [`pf rejects ${PF_CONF}: ${observed.confRefused}`]),
  ...(mustReload(observed) ? referenceDifferences(observed) : []),
  ...fileDifferences(observed.files.loader, desired.loader),
  ...daemonDifferences(observed.job, EGRESS_JOB),
];

/** Minifleet needs its own reference: pf stops when the last holder releases its reference. */
const holdsReference = ({ token, references }: EgressState): boolean =>
  token !== undefined && references.includes(token);

/**
 * Differences that only a reboot repairs: the running ruleset contains foreign rules, so pf.conf cannot be loaded over
 * it.
 */
export const rebootDifferences = (observed: EgressState): string[] =>
  mustReload(observed) ? [] : referenceDifferences(observed);

/** True if the whole pf.conf must and can be loaded. */
export const mustReload = (observed: EgressState): boolean =>
  lostReferences(observed).length > 0 && reloadable(observed.main.running, withOneBlock(observed.conf ?? ''));

export const lostReferences = (observed: EgressState): string[] =>
  missingReferences(observed.main.running, withOneBlock(observed.conf ?? ''));

const referenceDifferences = (observed: EgressState): string[] =>
  lostReferences(observed).map(name => `the running ruleset has no ${name}: anchors below it are not evaluated`);

export function fileDifferences({ text, info }: EgressFile, { place, text: desired }: DesiredFile): string[] {
  const { path, mode } = place;
  if (text === undefined || info === undefined) return [`${path} is missing`];
  return [
    ...(text === desired ? [] : [`${path} has unexpected content`]),
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

/** Tables in any scope whose names block the next load. */
function tablesLeft({ main, anchors }: EgressState): { readonly table: string; readonly scope: string }[] {
  const scopes = [{ name: 'the main ruleset', tables: main.tables }, ...anchors];
  return scopes.flatMap(({ name, tables }) =>
    tables.filter(isBusyName).map(table => ({ table: table.name, scope: name })),
  );
}

const isBusyName = ({ name, persist }: TableState): boolean => persist && TABLES.some(ours => ours === name);

/**
 * True if the running ruleset still refers to the removed anchor, and loading pf.conf removes nothing from others. Otherwise
 * the reference stays until the next boot: an empty anchor has no effect.
 */
export const mustUnreference = ({ conf = '', confRefused, main: { running } }: EgressState): boolean =>
  refersToBlock(running) &&
  (confRefused === undefined || containsOwnRules(conf)) &&
  reloadable(running, `${withoutBlock(conf)}${BLOCK}`);

/** Remaining parts of a firewall that should be removed. */
export function egressLeftovers(observed: EgressState): string[] {
  const { files, anchors, job, token } = observed;
  return [
    ...(job.job ? [`launchd still has the job ${JOB}`] : []),
    ...(job.place ? ['the property list of the job still exists'] : []),
    ...Object.entries(files).flatMap(([what, { info }]) => (info ? [`the ${what} file still exists`] : [])),
    ...anchors
      .filter(({ rules, tables }) => rules.length + tables.length > 0)
      .map(({ name }) => `rules are still loaded in anchor ${name}`),
    ...tablesLeft(observed).map(({ table, scope }) => `table ${table} is left over in ${scope}`),
    ...(mustUnreference(observed) ? [`the running ruleset still refers to anchor ${BOOT_ANCHOR}`] : []),
    ...(token === undefined ? [] : ['the token of Minifleet’s pf reference still exists']),
  ];
}
