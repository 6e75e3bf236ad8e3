import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { clusterForTests } from '@minifleet/local-cluster/testing/cluster-for-tests';
import { parseAllDocuments } from 'yaml';
import { type Manifest, ofKind, render } from '../../../charts/testing/helm.ts';
import { everythingWith } from '../../../charts/testing/permutations.ts';
import { accessPage } from './access-page.ts';
import { type RecordedAccess, recordAccess } from './record-access.ts';
import { rightsNotShown } from './rights-not-shown.ts';
import { openScene } from './scene.ts';

const RBAC_FOLDER = new URL('../../../config/rbac/', import.meta.url);

describe('permissions', () => {
  const cacheDirectory = mkdtempSync(join(tmpdir(), 'minifleet-access-'));
  const cluster = clusterForTests({ components: ['etcd', 'kube-apiserver'] });
  let recorded: RecordedAccess;
  before(async () => {
    const kubectl = await openScene(cluster(), cacheDirectory);
    recorded = await recordAccess(kubectl);
    await kubectl.close();
  });
  after(() => rmSync(cacheDirectory, { recursive: true, force: true }));

  test('docs/reference/access.md matches the answers of a real API server', () => {
    const page = readFileSync(new URL('../access.md', import.meta.url), 'utf8');
    assert.equal(page, accessPage(recorded), 'run: node docs/reference/access/write-access.ts');
  });

  test('docs/reference/access.md shows every permission that RBAC grants', () => {
    const missing = recorded.accounts.flatMap(one => rightsNotShown(one).map(right => `${one.account.name}: ${right}`));
    assert.deepEqual(missing, []);
  });

  test('docs/reference/access.md has every account that config/rbac or the chart creates', async () => {
    const texts = readdirSync(RBAC_FOLDER).map(file => readFileSync(new URL(file, RBAC_FOLDER), 'utf8'));
    const inConfig = texts.flatMap(text => parseAllDocuments(text).map(one => one.toJS() as Manifest));
    const made = [...inConfig, ...(await render('helm', everythingWith('plain')))];
    const names = new Set(ofKind(made, 'ServiceAccount').map(({ metadata }) => metadata.name));
    assert.ok(names.size >= 4);
    const users = recorded.accounts.map(({ account }) => account.user);
    assert.deepEqual(
      [...names].filter(name => !users.includes(`system:serviceaccount:minifleet-system:${name}`)),
      [],
    );
  });

  test('no account may read other Secrets, run commands in Pods, delete Nodes or extend permissions, except as documented', () => {
    const surprises = recorded.refusals.flatMap(({ refusal, answers }) =>
      recorded.accounts.flatMap(({ account }, index) => {
        const expected = account.name in (refusal.except ?? {}) ? 'yes' : 'no';
        return answers[index] === expected
          ? []
          : [`${account.name} ${refusal.verb} ${refusal.what}: ${answers[index]}`];
      }),
    );
    assert.deepEqual(surprises, []);
  });
});
