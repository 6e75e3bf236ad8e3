import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ADDRESSES } from './addresses.ts';
import { createOperator } from './operator.ts';
import { openPodsBench, type PodsBench } from './pods-bench.ts';
import { COMMON_VALUES } from './values.ts';

const VALUES = `${COMMON_VALUES}
runnersFleet:
  enabled: true
  name: runners
  replicas: 3
  pool: desk
  machine: { kind: MacMachine }
fleetGate: { enabled: false } # the Macs are added after the installation
`;

describe('the chart with its programs as Pods, and three Macs on a desk', () => {
  let bench: PodsBench;
  before(async () => {
    bench = await openPodsBench();
  });
  after(() => bench.stop());
  const operator = createOperator(() => bench);

  test('helm install with the images of this repository makes both programs Ready as Pods', async () => {
    await operator.install(VALUES);
    const printed = await operator.run('kubectl get pods -n minifleet-system --no-headers');
    assert.equal([...printed.matchAll(/ 1\/1 +Running /g)].length, 4, printed);
    await operator.storeGithubApp();
  });

  test('three owned Macs that an operator added and prepared become Ready Nodes', async () => {
    // The key exists before the first machine needs it. A machine that was refused tries again only minutes later.
    await operator.run('ssh-keygen -q -t ed25519 -N "" -f ~/fleet-key');
    await operator.run(
      'kubectl create secret generic runners-ssh -n minifleet-system --from-file=id_ed25519="$HOME/fleet-key" --from-file=id_ed25519.pub="$HOME/fleet-key.pub"',
    );
    for (const [index, address] of ADDRESSES.ownedMacs.entries()) {
      const password = await operator.write(`password-${index + 1}`, bench.world.passwords[index] ?? '');
      await operator.run(
        `minifleet prepare-fleet-host m1@${address} --fleet runners -n minifleet-system --accept-new-host-key --password-file ${password}`,
      );
      await operator.run(`minifleet host add mini-0${index + 1} --address ${address} --user m1 --pool desk`);
    }
    await operator.run(
      'kubectl wait machinedeployment/runners -n minifleet-system --for=condition=Available --timeout=4m',
    );
    const nodes = await operator.run('kubectl get nodes -l tuist.dev/fleet=runners --no-headers');
    assert.equal([...nodes.matchAll(/ Ready /g)].length, 3, nodes);
  });

  test('a GitHub job runs in a VM of an owned Mac', async t => {
    assert.match(await operator.runJob(), /macOS/);
    t.diagnostic(`owned Macs: ${operator.elapsed()} from helm install to the first finished job`);
  });
});
