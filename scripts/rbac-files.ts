import { stringify } from 'yaml';
import { accessManifests } from '../packages/provider/program/access-manifests.ts';

const header = '# Generated from packages/provider/program/access.ts by npm run generate. Do not edit.\n';

/** config/rbac: what the provider may do. The same input gives the same bytes. */
export const rbacFiles = (): [string, string][] =>
  [...accessManifests()].map(([file, objects]) => [
    `config/rbac/${file}`,
    header + objects.map(object => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n'),
  ]);
