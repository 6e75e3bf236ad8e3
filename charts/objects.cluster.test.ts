import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { stringify } from 'yaml';
import { clusterWithKinds, installKinds } from './testing/cluster-with-kinds.ts';
import { fileWith, type Manifest, render } from './testing/helm.ts';
import { everythingWith, PERMUTATIONS } from './testing/permutations.ts';

describe('the chart on a real API server', () => {
  const kinds = clusterWithKinds();
  const { kubectl } = kinds;
  before(async () => {
    await installKinds(kinds, 'helm');
    await kubectl('create', 'namespace', 'tuist-runners');
  });

  const check = async (manifests: readonly Manifest[]): Promise<string[]> => {
    const file = fileWith(manifests.map(manifest => stringify(manifest)).join('---\n'));
    const strictly = ['--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict', '--output=name'];
    return (await kubectl('apply', '-f', file, ...strictly)).trim().split('\n');
  };

  test('chart: a strict API server accepts every object of every permutation', async () => {
    const distinct = new Map<string, Manifest>();
    for (const { values } of PERMUTATIONS) {
      for (const manifest of await render('helm', values)) distinct.set(JSON.stringify(manifest), manifest);
    }
    const answers = await check([...distinct.values()]);
    assert.equal(answers.length, distinct.size);
    for (const kind of [
      'externalsecret.external-secrets.io',
      'prometheusrule.monitoring.coreos.com',
      'runnerpool.tuist.dev',
      'machinehealthcheck.cluster.x-k8s.io',
      'machinedrainrule.cluster.x-k8s.io',
    ]) {
      assert.ok(
        answers.some(answer => answer.startsWith(`${kind}/`)),
        kind,
      );
    }
  });

  test('chart: a strict API server rejects an object with an unknown field', async () => {
    const [first, ...rest] = (await render('helm', everythingWith('plain'))).filter(
      ({ kind }) => kind === 'MachineDeployment',
    );
    const wrong = { ...first, spec: { ...(first?.spec as never as object), replica: 3 } } as never as Manifest;
    await assert.rejects(check([wrong, ...rest]), /unknown field|replica/);
  });
});
