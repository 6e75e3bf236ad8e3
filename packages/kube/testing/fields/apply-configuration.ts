import type { ServedKind } from '../kinds/served-kind.ts';
import { Refusal } from '../server/refusal.ts';
import type { JsonObject, StoredObject } from '../store/json.ts';
import { describeField, type FieldSet } from './field-set.ts';
import { differenceOf, fieldsOf } from './fields-of.ts';
import {
  encodeManaged,
  entryWithout,
  type ManagedEntry,
  type Manager,
  minus,
  readManaged,
  sameManager,
} from './managed-fields.ts';
import { mergeApplied } from './merge-applied.ts';
import { removeFields } from './remove-fields.ts';
import { type Author, ownableRoots } from './track-update.ts';

export interface Applied {
  readonly object: StoredObject;
  readonly managedFields: JsonObject[];
}

/**
 * Server-side apply: merges a configuration into the live object, takes away what its manager owned alone and sends
 * no longer, and refuses to change what others own unless forced.
 */
export function applyConfiguration(
  kind: ServedKind,
  { live, config, force }: { readonly live?: StoredObject; readonly config: StoredObject; readonly force: boolean },
  { manager, time }: Author,
): Applied {
  const entries = readManaged(live);
  const own = entries.find(entry => sameManager(entry.manager, manager));
  const others = entries.filter(entry => entry !== own);
  const roots = ownableRoots(kind, manager);
  const sent = fieldsOf(config, kind.schema, { containers: false, skipRoots: false, roots });
  const fields: FieldSet = new Set(sent.keys());
  const kept = new Set([...fields, ...others.flatMap(entry => [...entry.fields])]);
  const merged = mergeApplied(live ?? {}, config, kind.schema) as StoredObject;
  const object = removeFields(merged, { gone: minus(own?.fields ?? new Set(), kept), kept, schema: kind.schema });

  const options = { containers: true, skipRoots: !kind.custom };
  const before = live ? fieldsOf(live, kind.schema, options) : new Map<string, unknown>();
  const { changed, removed } = differenceOf(before, fieldsOf(object, kind.schema, options));
  if (!force) refuseConflicts(others, changed);
  const left = others.map(entry => entryWithout(entry, changed, removed));
  return { object, managedFields: encodeManaged([...left, { manager, time, fields }]) };
}

function refuseConflicts(others: readonly ManagedEntry[], changed: ReadonlySet<string>): void {
  const conflicts = [...others]
    .sort((one, other) => (one.manager.manager < other.manager.manager ? -1 : 1))
    .map(entry => ({
      who: describeManager(entry.manager),
      fields: [...entry.fields].filter(id => changed.has(id)).map(describeField),
    }))
    .filter(({ fields }) => fields.length > 0);
  if (conflicts.length === 0) return;
  const causes = conflicts.flatMap(({ who, fields }) =>
    fields.map(field => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  );
  throw new Refusal({
    code: 409,
    reason: 'Conflict',
    message: sentence(conflicts, causes.length),
    details: { causes },
  });
}

function sentence(conflicts: readonly { who: string; fields: string[] }[], count: number): string {
  const [only] = conflicts;
  if (count === 1) return `Apply failed with 1 conflict: conflict with ${only?.who}: ${only?.fields[0]}`;
  const lists = conflicts.map(({ who, fields }) => `conflicts with ${who}:\n${fields.map(f => `- ${f}`).join('\n')}`);
  return `Apply failed with ${count} conflicts: ${lists.join('\n')}`;
}

const describeManager = ({ manager, operation, apiVersion, subresource }: Manager): string =>
  `"${manager}"${subresource ? ` with subresource "${subresource}"` : ''}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
