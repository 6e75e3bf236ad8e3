import {
  containerFields,
  emptyDirFields,
  type FieldRule,
  hookFields,
  isGiven,
  lifecycleFields,
  mountFields,
  podFields,
  podSecurityFields,
  portFields,
  probeFields,
  projectionFields,
  resourceFields,
  securityFields,
  variableSourceFields,
  volumeFields,
} from '@minifleet/tart-kubelet/testing/pods';

const tables: readonly (readonly [string, Readonly<Record<string, FieldRule>>])[] = [
  ['`spec`', podFields],
  ['`spec.securityContext`', podSecurityFields],
  ['`spec.containers[]`', containerFields],
  ['`….securityContext`', securityFields],
  ['`….ports[]`', portFields],
  ['`….resources`, `spec.resources`', resourceFields],
  ['`….volumeMounts[]`', mountFields],
  ['`….env[].valueFrom`', variableSourceFields],
  ['`….lifecycle`', lifecycleFields],
  ['`….lifecycle.postStart`, `….preStop`', hookFields],
  ['`….startupProbe`, `….readinessProbe`, `….livenessProbe`', probeFields],
  ['`spec.volumes[]`', volumeFields],
  ['`spec.volumes[].emptyDir`', emptyDirFields],
  ['`spec.volumes[].projected.sources[]`', projectionFields],
];

const INTRODUCTION = `# Fields of a Pod on a Mac

This page lists every field of a Pod and its support on a Node whose Pods are VMs. A Pod that uses a refused field, or a field
that is not listed here, fails at once with the reason \`<Field>NotSupported\` and a message that names the field.
\`npm run generate\` writes this page from the agent's admission rules (\`packages/tart-kubelet/pods/admission\`). A test
compares these rules with the Pod types of Kubernetes.
`;

/** Renders the page from the admission rules. */
export const podFieldsPage = (): string =>
  [INTRODUCTION, ...tables.map(([where, rules]) => tableOf(where, rules))].join('\n');

function tableOf(where: string, rules: Readonly<Record<string, FieldRule>>): string {
  const rows = Object.entries(rules).map(([field, rule]) => `| \`${field}\` | ${supportOf(rule)} |\n`);
  return `## ${where}\n\n| Field | Support | Reason |\n|---|---|---|\n${rows.join('')}`;
}

function supportOf(rule: FieldRule): string {
  if (rule.is === 'supported') return 'supported |';
  // A separate rule for the values means that the others are accepted.
  const refused = rule.is === 'refused' && rule.when !== isGiven ? 'some values refused' : rule.is;
  return `${refused} | ${rule.because}`;
}
