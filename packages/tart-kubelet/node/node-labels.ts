import * as names from '@minifleet/api/names';
import { defineError } from '@minifleet/errors';
import type { NodeSettings } from './node-settings.ts';

const NODE_LABELS_REFUSED = defineError('NODE_LABELS_REFUSED', {
  retry: 'operator',
  reason: 'NodeLabelsRefused',
  text: '--node-labels: {what}; write k=v,k=v',
});

/** The kubernetes.io keys a node may give itself; NodeRestriction refuses the whole Node for any other. */
const ALLOWED = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);
const NAME = /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const DOMAIN = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** The labels every Node of ours has. What the operator gives wins, except for what the Node is. */
export const nodeLabels = ({ name, labels, version }: NodeSettings): Record<string, string> => ({
  [names.labels.runtime]: names.labelValues.runtimeTart,
  ...labels,
  [names.labels.agentVersion]: version,
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'darwin',
  'kubernetes.io/arch': 'arm64',
  'beta.kubernetes.io/os': 'darwin',
  'beta.kubernetes.io/arch': 'arm64',
});

/** Reads `k=v,k=v`. A label the API server would refuse is refused here, at the start and by its name. */
export function parseNodeLabels(text: string): Record<string, string> {
  const pairs = text.split(',').filter(pair => pair.trim() !== '');
  return Object.fromEntries(pairs.map(pair => parsePair(pair.trim())));
}

function parsePair(pair: string): [string, string] {
  const equals = pair.indexOf('=');
  if (equals < 1) throw NODE_LABELS_REFUSED({ what: `"${pair}" is no k=v` });
  const [key, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
  const what = refusal(key, value);
  if (what) throw NODE_LABELS_REFUSED({ what });
  return [key, value];
}

function refusal(key: string, value: string): string | undefined {
  const slash = key.indexOf('/');
  const [domain, name] = slash < 0 ? ['', key] : [key.slice(0, slash), key.slice(slash + 1)];
  if (!NAME.test(name) || (slash >= 0 && !DOMAIN.test(domain))) return `"${key}" is no label key`;
  if (value !== '' && !NAME.test(value)) return `"${value}" is no label value for ${key}`;
  return mayLabelItself(key, domain) ? undefined : `a node may not give itself the label ${key}`;
}

function mayLabelItself(key: string, domain: string): boolean {
  const within = (suffix: string): boolean => domain === suffix || domain.endsWith(`.${suffix}`);
  if (!within('kubernetes.io') && !within('k8s.io')) return true;
  return ALLOWED.has(key) || within('kubelet.kubernetes.io') || within('node.kubernetes.io');
}
