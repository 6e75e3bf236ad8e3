import { stringify } from 'yaml';
import { kinds } from './kinds.ts';

const header = '# Generated from packages/api by npm run generate. Do not edit.\n';

/** File name to YAML, one CRD a file; the same input gives the same bytes. */
export function renderCrds(): Map<string, string> {
  return new Map(
    kinds.map(kind => {
      const crd = kind.crd();
      return [`${crd.metadata.name}.yaml`, header + stringify(crd, { lineWidth: 0, aliasDuplicateObjects: false })];
    }),
  );
}
