import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { kinds } from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import {
  type Client,
  type CustomResourceDefinition,
  connectClient,
  customResourceDefinitions,
  readKubeconfig,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { commandLine } from '../testing/command-line.ts';

/** As much of Cluster API as is looked for. */
const machinesOfCore = {
  metadata: {
    name: 'machines.cluster.x-k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
  },
  spec: {
    group: 'cluster.x-k8s.io',
    scope: 'Namespaced',
    names: { kind: 'Machine', listKind: 'MachineList', plural: 'machines', singular: 'machine' },
    versions: [{ name: 'v1beta2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
} as const;

describe('what keeps a command from a cluster is told in one sentence that names the next command', () => {
  let cluster: LocalCluster;
  let client: Client;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'minifleet-trouble-'));
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  });
  after(async () => {
    await client?.close();
    await cluster?.stop();
    rmSync(folder, { recursive: true });
  });

  const admin = () => cluster.kubeconfigs.admin.path;
  /** One sentence on standard error, and the exit code of a failure. */
  const trouble = async (kubeconfig: string): Promise<string> => {
    const { code, output, errors } = await commandLine({ clock: systemClock })(
      'get',
      'hosts',
      '--kubeconfig',
      kubeconfig,
    );
    assert.deepEqual([code, output, errors.split('\n').length], [1, '', 2], errors);
    return errors;
  };
  const changed = (name: string, change: (text: string) => string): string => {
    const path = join(folder, name);
    writeFileSync(path, change(readFileSync(admin(), 'utf8')));
    return path;
  };
  const create = (crd: object): Promise<unknown> =>
    client.create(customResourceDefinitions, crd as CustomResourceDefinition);

  test('no server where the kubeconfig says', async () => {
    const away = changed('away', text => text.replace(/server: .*/, 'server: https://127.0.0.1:1'));
    assert.match(
      await trouble(away),
      /the cluster in .*away cannot be reached .*kubectl --kubeconfig .*away cluster-info \(CLUSTER_UNREACHABLE\)/,
    );
  });

  test('credentials the server does not take', async () => {
    const expired = changed(
      'expired',
      text =>
        `${text.replace(/^ *client-(certificate|key)(-data)?:.*\n/gm, '').replace(/user:\s*(\{\})?\s*$/m, 'user: { token: expired }')}`,
    );
    assert.match(
      await trouble(expired),
      /wrong or have expired; .*kubectl --kubeconfig .*expired auth whoami \(CREDENTIALS_REFUSED\)/,
    );
  });

  test('no rights', async () => {
    const { path } = await cluster.userKubeconfig('guest');
    assert.match(
      await trouble(path),
      /you lack a right .*User "guest" cannot list .*kubectl auth can-i --list \(RIGHTS_MISSING\)/,
    );
  });

  test('no Cluster API', async () => {
    assert.match(await trouble(admin()), /Cluster API is not installed .*clusterctl init.* \(CLUSTER_API_MISSING\)/);
  });

  test('Cluster API, and none of our kinds', async () => {
    await create(machinesOfCore);
    assert.match(
      await trouble(admin()),
      /does not have scalewayapplesiliconmachines\..*helm upgrade --install minifleet-crds charts\/minifleet-crds -n minifleet-system --create-namespace, .* \(KINDS_MISSING\)/,
    );
  });

  test('kinds of a later version', async () => {
    for (const kind of kinds) {
      const crd = kind.crd();
      await create({
        ...crd,
        spec: { ...crd.spec, versions: crd.spec.versions.map(each => ({ ...each, name: 'v9' })) },
      });
    }
    const said = await eventually(async () => {
      const words = await trouble(admin());
      return words.includes('KINDS_NEWER') && words;
    });
    assert.match(
      said,
      /this minifleet is older than the cluster, which serves scalewayapplesiliconmachines\.\S+ as v9 only/,
    );
  });
});
