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

/** The one Cluster API CRD that commands check for. */
const machinesCrd = {
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

describe('API errors', () => {
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
  /** Runs `get hosts`, expects exit code 1 and one line on standard error, and returns the line. */
  const errorOf = async (kubeconfig: string): Promise<string> => {
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

  test('an unreachable API server is reported with the kubectl command to check it', async () => {
    const away = changed('away', text => text.replace(/server: .*/, 'server: https://127.0.0.1:1'));
    assert.match(
      await errorOf(away),
      /away: API server unreachable .*kubectl --kubeconfig .*away cluster-info \(CLUSTER_UNREACHABLE\)/,
    );
  });

  test('rejected credentials are reported with the kubectl command to check them', async () => {
    const expired = changed(
      'expired',
      text =>
        `${text.replace(/^ *client-(certificate|key)(-data)?:.*\n/gm, '').replace(/user:\s*(\{\})?\s*$/m, 'user: { token: expired }')}`,
    );
    assert.match(
      await errorOf(expired),
      /rejected the credentials .*kubectl --kubeconfig .*expired auth whoami \(CREDENTIALS_REFUSED\)/,
    );
  });

  test('a missing permission is reported with the server’s message', async () => {
    const { path } = await cluster.userKubeconfig('guest');
    assert.match(
      await errorOf(path),
      /permission denied in this cluster .*User "guest" cannot list .*kubectl auth can-i --list \(PERMISSION_DENIED\)/,
    );
  });

  test('a cluster without Cluster API is reported with the command to install it', async () => {
    assert.match(await errorOf(admin()), /Cluster API is not installed .*clusterctl init.* \(CLUSTER_API_MISSING\)/);
  });

  test('missing Minifleet CRDs are reported with the command to install them', async () => {
    await create(machinesCrd);
    assert.match(
      await errorOf(admin()),
      /CRDs missing in this cluster: scalewayapplesiliconmachines\..*helm upgrade --install minifleet-crds charts\/minifleet-crds -n minifleet-system --create-namespace, .* \(CRDS_MISSING\)/,
    );
  });

  test('CRDs that serve only a newer version are reported', async () => {
    for (const kind of kinds) {
      const crd = kind.crd();
      await create({
        ...crd,
        spec: { ...crd.spec, versions: crd.spec.versions.map(each => ({ ...each, name: 'v9' })) },
      });
    }
    const errors = await eventually(async () => {
      const line = await errorOf(admin());
      return line.includes('CRDS_NEWER') && line;
    });
    assert.match(
      errors,
      /this minifleet is older than the cluster, which serves scalewayapplesiliconmachines\.\S+ only as v9/,
    );
  });
});
