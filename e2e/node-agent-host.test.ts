import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { nodes } from '@minifleet/kube';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { createKubectlDriver, type KubectlDriver } from './testing/kubectl-driver.ts';
import { awaitNodeReady, IMAGE as image, type JoinedMac, type NodeBench, openNodeBench } from './testing/node-bench.ts';
import { findProcesses } from './testing/processes.ts';

const skip = noHostNetwork;
const node = 'mini-01';
const STAYS = "trap 'exit 0' TERM; echo up; while :; do sleep 0.1; done";

let bench: NodeBench;
let mac: JoinedMac;
let kubectl: KubectlDriver;

before(async () => {
  if (skip !== false) return;
  bench = await openNodeBench(1);
  mac = await bench.join(node);
  kubectl = createKubectlDriver(bench);
});
after(async () => {
  await bench?.stop();
  if (mac) assert.deepEqual(findProcesses(mac.folder), [], 'processes of the Mac that still run');
});

const bootId = async (): Promise<string | undefined> =>
  (await bench.admin.get(nodes, { name: node })).status?.nodeInfo?.bootID;

const eventsOf = (kind: string, reason: string): Promise<string> =>
  kubectl.ok('get', 'events', '-A', '--field-selector', `involvedObject.kind=${kind},reason=${reason}`, '-o', 'name');

test('the Node reports VMs of other programs, and the metrics report the disk use', { skip }, async () => {
  await mac.tart('create', 'packer', '--from-ipsw', 'latest');
  const running = mac.tart('run', 'packer', '--no-graphics');
  const foreign = await eventually(
    async () => {
      const { conditions = [] } = (await bench.admin.get(nodes, { name: node })).status ?? {};
      return conditions.find(({ type, reason }) => type === 'ForeignVMs' && reason === 'ForeignVMsRunning');
    },
    { deadline: seconds(180), what: 'the condition ForeignVMs' },
  );
  assert.equal(foreign.message, '1 of 2 VM slots are used by foreign VMs: packer');
  await eventually(async () => (await eventsOf('Node', 'ForeignVMsRunning')).includes(node));
  const metrics = await kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/metrics`);
  const parts = [...metrics.matchAll(/^tart_kubelet_disk_bytes\{part="(\w+)"\} (\d+)/gm)].map(([, part]) => part);
  assert.deepEqual(new Set(parts), new Set(['total', 'free', 'images', 'own_images', 'guests', 'others', 'promised']));
  await mac.tart('stop', 'packer');
  await running;
  await mac.tart('delete', 'packer');
});

test('after a reboot a Never-restart Pod has failed with the reason, others run again, and no slot is lost', {
  skip,
}, async () => {
  await kubectl.createPod('once', { node, image, script: STAYS });
  await kubectl.createPod('again', { node, image, script: STAYS, restartPolicy: 'Always' });
  await Promise.all([kubectl.awaitPhase('once', 'Running'), kubectl.awaitPhase('again', 'Running')]);
  await kubectl.createPod('waits', { node, image, script: 'exit 0' });
  await eventually(
    async () =>
      (await kubectl.pod('waits')).status?.containerStatuses?.[0]?.state?.waiting?.reason === 'WaitingForVMSlot',
  );
  const before = await bootId();
  await mac.mac.reboot();

  const [once] = (await kubectl.awaitPhase('once', 'Failed')).status?.containerStatuses ?? [];
  const { exitCode, reason, message } = once?.state?.terminated ?? {};
  assert.deepEqual([exitCode, reason, once?.restartCount], [137, 'NodeRebooted', 0]);
  assert.equal(message, 'the host rebooted while the guest was running');
  const again = await eventually(
    async () => {
      const [status] = (await kubectl.pod('again')).status?.containerStatuses ?? [];
      return status?.state?.running && status;
    },
    { deadline: seconds(180), what: 'the other Pod to run again' },
  );
  assert.deepEqual([again.restartCount, again.lastState?.terminated?.reason], [1, 'NodeRebooted']);
  // It waited for the slot of the failed Pod and had not run.
  await kubectl.awaitPhase('waits', 'Succeeded');
  await awaitNodeReady(bench.admin, mac);
  assert.notEqual(await bootId(), before);
  assert.match(await eventsOf('Node', 'Rebooted'), /mini-01/);
  const vms = async (): Promise<string> => mac.tart('list', '--source', 'local', '-q');
  await eventually(async () => /^pod-\S+-1\n$/.test(await vms()), { what: 'only the VM of the running Pod' });
  await kubectl.ok('delete', 'pod', 'once', 'again', 'waits');
});
