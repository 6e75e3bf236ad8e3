import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeLabels, parseNodeLabels } from './node-labels.ts';
import { settingsForTests } from './testing/node-for-tests.ts';

test('--node-labels are parsed as k=v pairs separated by commas', () => {
  assert.deepEqual(parseNodeLabels(' tuist.dev/fleet=runners,zone=fr-par-1,empty=, '), {
    'tuist.dev/fleet': 'runners',
    zone: 'fr-par-1',
    empty: '',
  });
  assert.deepEqual(parseNodeLabels(''), {});
});

const refused = {
  fleet: /"fleet" is not k=v/,
  '=x': /"=x" is not k=v/,
  'a/b/c=x': /"a\/b\/c" is not a label key/,
  'a=-x': /"-x" is not a valid value for label a/,
  'node-restriction.kubernetes.io/team=x': /a node must not set the label node-restriction/,
  'node-role.kubernetes.io/worker=': /a node must not set the label node-role/,
  'kubernetes.io/other=x': /a node must not set/,
  'apps.k8s.io/x=y': /a node must not set/,
};
for (const [text, words] of Object.entries(refused)) {
  test(`--node-labels rejects ${text} with its name`, () => {
    assert.throws(() => parseNodeLabels(text), { code: 'NODE_LABELS_REFUSED', message: words });
  });
}

test('--node-labels accepts labels that a node may set on itself', () => {
  for (const key of [
    'node.kubernetes.io/a',
    'x.kubelet.kubernetes.io/a',
    'topology.kubernetes.io/zone',
    'a.x-k8s.io/b',
  ])
    assert.deepEqual(parseNodeLabels(`${key}=v`), { [key]: 'v' });
});

test('--node-labels cannot override the labels that describe the Node', () => {
  const given = { 'kubernetes.io/os': 'linux', 'tuist.dev/fleet': 'runners', 'minifleet.dev/agent-version': '9' };
  const labels = nodeLabels(settingsForTests({ name: 'mini-01', labels: given }));
  assert.deepEqual(labels, {
    'tuist.dev/runtime': 'tart',
    'tuist.dev/fleet': 'runners',
    'minifleet.dev/agent-version': '0.1.0',
    'kubernetes.io/hostname': 'mini-01',
    'kubernetes.io/os': 'darwin',
    'kubernetes.io/arch': 'arm64',
    'beta.kubernetes.io/os': 'darwin',
    'beta.kubernetes.io/arch': 'arm64',
  });
});
