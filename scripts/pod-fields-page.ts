import {
  containerFields,
  hookFields,
  lifecycleFields,
  mountFields,
  portFields,
  probeFields,
  resourceFields,
  securityFields,
} from '../packages/tart-kubelet/pods/admission/container-fields.ts';
import { type FieldRule, isGiven } from '../packages/tart-kubelet/pods/admission/field-rule.ts';
import { podFields, podSecurityFields } from '../packages/tart-kubelet/pods/admission/pod-fields.ts';
import {
  emptyDirFields,
  projectionFields,
  variableSourceFields,
  volumeFields,
} from '../packages/tart-kubelet/pods/admission/volume-fields.ts';

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

Every field of a Pod that Kubernetes knows, and what becomes of it on a node whose Pods are VMs. A Pod that asks for what is
refused fails at once with the reason \`<Field>NotSupported\` and a sentence that names the field; so does one with a field that
is not in this list. Written by \`npm run generate\` from the rules the agent itself applies
(\`packages/tart-kubelet/pods/admission\`); a test holds the page to them, and them to Kubernetes’ own types.
`;

/** The page, from the rules themselves. */
export const podFieldsPage = (): string =>
  [INTRODUCTION, ...tables.map(([where, rules]) => tableOf(where, rules))].join('\n');

function tableOf(where: string, rules: Readonly<Record<string, FieldRule>>): string {
  const rows = Object.entries(rules).map(([field, rule]) => `| \`${field}\` | ${wordsOf(rule)} |\n`);
  return `## ${where}\n\n| field | | why |\n|---|---|---|\n${rows.join('')}`;
}

function wordsOf(rule: FieldRule): string {
  if (rule.is === 'supported') return 'supported |';
  // A rule of its own for the values means that the others are taken.
  const refused = rule.is === 'refused' && rule.when !== isGiven ? 'some values refused' : rule.is;
  return `${refused} | ${rule.because}`;
}
