import * as names from '@minifleet/api/names';
import { defineError } from '@minifleet/errors';
import type { NodeSettings } from './node-settings.ts';

const NODE_LABELS_REFUSED = defineError('NODE_LABELS_REFUSED', {
  retry: 'operator',
  reason: 'NodeLabelsRefused',
  text: '--node-labels: {what}; use k=v,k=v',
});

/** kubernetes.io keys that a node may set on itself; NodeRestriction rejects the whole Node for any other. */
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

/** Labels of every Node. Labels set by the operator take precedence, except for the intrinsic ones. */
export const nodeLabels = ({ name, labels, version, model }: NodeSettings): Record<string, string> => ({
  [names.labels.runtime]: names.labelValues.runtimeTart,
  // A comma is not valid in a label: Macmini9-1.
  ...(model ? { 'node.kubernetes.io/instance-type': model.replaceAll(',', '-') } : {}),
  ...labels,
  [names.labels.agentVersion]: version,
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'darwin',
  'kubernetes.io/arch': 'arm64',
  'beta.kubernetes.io/os': 'darwin',
  'beta.kubernetes.io/arch': 'arm64',
});

/** Parses `k=v,k=v`. Rejects at the start, by name, a label that the API server would reject. */
export function parseNodeLabels(text: string): Record<string, string> {
  const pairs = text.split(',').filter(pair => pair.trim() !== '');
  return Object.fromEntries(pairs.map(pair => parsePair(pair.trim())));
}

function parsePair(pair: string): [string, string] {
  const equals = pair.indexOf('=');
  if (equals < 1) throw NODE_LABELS_REFUSED({ what: `"${pair}" is not k=v` });
  const [key, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
  const what = refusal(key, value);
  if (what) throw NODE_LABELS_REFUSED({ what });
  return [key, value];
}

function refusal(key: string, value: string): string | undefined {
  const slash = key.indexOf('/');
  const [domain, name] = slash < 0 ? ['', key] : [key.slice(0, slash), key.slice(slash + 1)];
  if (!NAME.test(name) || (slash >= 0 && !DOMAIN.test(domain))) return `"${key}" is not a label key`;
  if (value !== '' && !NAME.test(value)) return `"${value}" is not a valid value for label ${key}`;
  return isAllowedKey(key, domain) ? undefined : `a node must not set the label ${key} on itself`;
}

function isAllowedKey(key: string, domain: string): boolean {
  const within = (suffix: string): boolean => domain === suffix || domain.endsWith(`.${suffix}`);
  if (!within('kubernetes.io') && !within('k8s.io')) return true;
  return ALLOWED.has(key) || within('kubelet.kubernetes.io') || within('node.kubernetes.io');
}
