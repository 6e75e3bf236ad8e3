import { readFileSync } from 'node:fs';
import { kinds } from '@minifleet/api';
import { stringify } from 'yaml';
import { dashboard, providerPanels, runnersPanels } from './dashboards.ts';
import { container, podSecurity, tolerations } from './program-pod.ts';
import { valuesSchema, valuesTables, valuesYaml } from './values-files.ts';

const header = (source: string): string => `# Generated from ${source} by npm run generate. Do not edit.\n`;
const yaml = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Files that a chart includes from elsewhere in the repository, by path. */
export interface TakenOver {
  readonly rbac: readonly (readonly [string, string])[];
  readonly rules: readonly (readonly [string, string])[];
}

/** Generated files of both charts: path from the root of the repository → content. */
export const chartFiles = ({ rbac, rules }: TakenOver): [string, string][] => [
  ...crdTemplates(),
  ['charts/minifleet/values.yaml', valuesYaml()],
  ['charts/minifleet/values.schema.json', valuesSchema()],
  ['charts/minifleet/README.md', read('readme.md').replace('<!-- values -->\n', valuesTables())],
  [
    'charts/minifleet/files/program-pod.yaml',
    header('charts/generate/program-pod.ts') + yaml({ securityContext: podSecurity, container, tolerations }),
  ],
  ['charts/minifleet/files/drain-rules.yaml', read('../../config/drain-rules.yaml')],
  ...rbac.map(([path, content]): [string, string] => [`charts/minifleet/files/rbac/${nameOf(path)}`, content]),
  ...rules.map(([path, content]): [string, string] => [`charts/minifleet/files/rules/${nameOf(path)}`, content]),
  ['charts/minifleet/files/dashboards/minifleet-provider.json', json(dashboard('Minifleet', providerPanels))],
  ['charts/minifleet/files/dashboards/minifleet-runners.json', json(dashboard('Minifleet runners', runnersPanels))],
];

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/**
 * CRDs as templates, so that an upgrade updates them, and with the keep policy, so that an uninstall does not delete
 * the record of every Mac.
 */
function crdTemplates(): [string, string][] {
  return kinds.map(kind => {
    const crd = kind.crd();
    const text = yaml(crd);
    if (text.includes('{{')) throw new Error(`${crd.metadata.name} holds {{, which Helm would read as a template`);
    const annotations = { 'helm.sh/resource-policy': 'keep', 'minifleet.dev/chart-version': '{{ .Chart.Version }}' };
    return [
      `charts/minifleet-crds/templates/${crd.metadata.name}.yaml`,
      header('packages/api') + yaml({ ...crd, metadata: { ...crd.metadata, annotations } }),
    ];
  });
}
