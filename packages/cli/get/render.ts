import { type KubeObject, resourceName } from '@minifleet/kube/client';
import type { CliContext } from '../context.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth } from '../terminal/table.ts';
import { fitColumns } from './fit-columns.ts';
import type { GetRequest } from './get-command.ts';
import { RESOURCES } from './list-objects.ts';
import type { ListingRow, ResourceListing } from './listing.ts';

/** Renders rows as a table, names, JSON or YAML. */
export async function render(
  lines: readonly ListingRow[],
  request: GetRequest,
  how: { readonly listing: ResourceListing; readonly context: CliContext },
): Promise<string> {
  switch (request.output ?? 'wide') {
    case 'name':
      return lines.map(({ object }) => `${typeOf(object)}/${object.metadata.name}\n`).join('');
    case 'json':
      return `${JSON.stringify(asData(lines, request), undefined, 2)}\n`;
    case 'yaml': {
      const { stringify } = await import('yaml');
      return stringify(asData(lines, request), { aliasDuplicateObjects: false });
    }
    case 'wide':
      return `${tableOf(lines, request, how).join('\n')}\n`;
  }
}

export function tableOf(
  lines: readonly ListingRow[],
  { output, namespace }: GetRequest,
  { listing, context }: { readonly listing: ResourceListing; readonly context: CliContext },
): string[] {
  const wide = output === 'wide';
  const columns = listing.columns
    .filter(column => wide || !column.wide)
    .filter(({ title }) => title !== 'NAMESPACE' || namespace === undefined);
  const width = wide ? Number.POSITIVE_INFINITY : lineWidth(context.output);
  return fitColumns(lines, { columns, width, paint: paintFor(context.output, context.colours) });
}

/** Like kubectl: one named object is printed itself, anything else as a List. */
function asData(lines: readonly ListingRow[], { name }: GetRequest): object {
  const objects = lines.map(({ object }) => withoutManagers(object));
  const [only] = objects;
  return name !== undefined && only ? only : { apiVersion: 'v1', kind: 'List', items: objects };
}

/** Removes managedFields, which are longer than the object. */
function withoutManagers(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const typeOf = ({ kind }: KubeObject): string => {
  const resource = Object.values(RESOURCES)
    .flat()
    .find(each => each.kind === kind);
  return resource ? resourceName(resource) : kind.toLowerCase();
};
