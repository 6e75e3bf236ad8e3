import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { names } from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { type Client, connectClient, nodes, readKubeconfig } from '@minifleet/kube';
import { findBinaries, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { installCrds } from '../testing/install-crds.ts';

const MAIN = fileURLToPath(new URL('../minifleet.js', import.meta.url));

describe('kubectl minifleet, with the real kubectl', () => {
  let cluster: LocalCluster;
  let client: Client;
  let folder: string;
  let kubectl: (...argv: readonly string[]) => Promise<{ stdout: string; stderr: string }>;

  before(async () => {
    // A link like a package manager's: kubectl finds plugins as programs on PATH whose names begin with kubectl-.
    folder = mkdtempSync(join(tmpdir(), 'minifleet-plugin-'));
    symlinkSync(MAIN, join(folder, 'kubectl-minifleet'));
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    const { path } = cluster.kubeconfigs.admin;
    client = connectClient(readKubeconfig(path), { clock: systemClock });
    await installCrds({ client, clock: systemClock, signal: new AbortController().signal });
    const labels = { [names.labels.runtime]: names.labelValues.runtimeTart };
    await client.create(nodes, { metadata: { name: 'node-1', labels } });
    const binaries = await findBinaries({ programs: ['kubectl'] });
    const env = {
      PATH: [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
      KUBECONFIG: path,
      HOME: folder,
      KUBECACHEDIR: folder,
    };
    kubectl = (...argv) => promisify(execFile)(binaries.kubectl, argv, { env });
  });
  after(async () => {
    await client?.close();
    await cluster?.stop();
    rmSync(folder, { recursive: true });
  });

  test('kubectl plugin list finds kubectl-minifleet', async () => {
    assert.match((await kubectl('plugin', 'list')).stdout, new RegExp(`${folder}/kubectl-minifleet`));
  });

  test('kubectl minifleet uses the kubeconfig and options of kubectl', async () => {
    const { stderr } = await kubectl('minifleet', 'get', 'hosts', '-n', 'default');
    assert.equal(stderr, 'No hosts found in default.\n');
  });

  test('kubectl minifleet --help prints the name kubectl minifleet', async () => {
    assert.match((await kubectl('minifleet', '--help')).stdout, /^Usage: kubectl minifleet /);
  });

  test('kubectl returns the exit code of kubectl minifleet', async () => {
    await assert.rejects(kubectl('minifleet', 'get', 'host', 'missing'), { code: 1 });
    await assert.rejects(kubectl('minifleet', 'get', 'nonsense'), { code: 2 });
  });
});
