import { accessManifests } from '@minifleet/provider/testing/program';
import { runnersAccess } from '@minifleet/runners/testing/program';
import { stringify } from 'yaml';

/** Renders config/rbac: the permissions of each program. The same input gives the same bytes. */
export const rbacFiles = (): [string, string][] => [
  ...files('packages/provider/program/access.ts', accessManifests()),
  ...files('packages/runners/program/access.ts', runnersAccess()),
];

const files = (source: string, manifests: ReadonlyMap<string, readonly object[]>): [string, string][] =>
  [...manifests].map(([file, objects]) => [
    `config/rbac/${file}`,
    `# Generated from ${source} by npm run generate. Do not edit.\n${objects
      .map(object => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }))
      .join('---\n')}`,
  ]);
