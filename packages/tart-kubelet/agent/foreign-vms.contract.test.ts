import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds, systemClock } from '@minifleet/clock';
import { eventuallyHolds } from '@minifleet/clock/testing';
import { nodes } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import type { Guest, GuestSpec } from '../guests/guest.ts';
import { openImageHost } from '../images/testing/image-host.ts';
import { createNode } from '../node/create-node.ts';
import { wellOptions } from '../node/testing/well-options.ts';
import { createAgentMetrics } from '../observe/agent-metrics.ts';
import { createSlotQueue } from '../pods/slot-queue.ts';
import { observeVms } from './observe-vms.ts';

test('a running foreign VM uses a slot and sets ForeignVMs on the Node until it is deleted', async context => {
  const host = await openImageHost(context);
  const { client } = createMemoryApi({ clock: systemClock });
  const slots = createSlotQueue({ total: 2 });
  const metrics = createAgentMetrics();
  const inherited: Guest[] = [];
  const guests = { all: () => inherited };
  const recorded: string[] = [];
  const node = createNode({
    ...wellOptions('mini-01', client),
    events: { record: ({ type, reason }) => void recorded.push(`${type} ${reason}`), flush: async () => undefined },
    vms: () => observeVms({ tart: host.tart, guests, slots, metrics }),
  });
  const stop = new AbortController();
  const running = node.run(stop.signal);
  context.after(async () => {
    stop.abort();
    await running;
  });
  const reported = async () =>
    (await client.get(nodes, { name: 'mini-01' })).status?.conditions?.find(({ type }) => type === 'ForeignVMs');
  const becomes = (reason: string) =>
    eventuallyHolds(async () => {
      node.probes.vms.checkNow();
      assert.equal((await reported())?.reason, reason);
    });

  await becomes('NoForeignVMs');
  await host.simulated.succeed(['create', 'packer', '--from-ipsw', 'latest']);
  const foreign = host.simulated.start(['run', 'packer', '--no-graphics']);
  await becomes('ForeignVMsRunning');
  assert.equal((await reported())?.message, '1 of 2 VM slots are used by foreign VMs: packer');
  assert.equal(slots.used, 1);
  const lines = await metrics.kube.registry.metrics();
  assert.match(lines, /^tart_kubelet_foreign_vms 1$/m);
  assert.match(lines, /^tart_kubelet_vm_slots\{use="foreign"\} 1$/m);
  // The VM of a Pod that the previous agent started; its Pod holds the slot.
  inherited.push({ spec: { vmName: 'packer' } as GuestSpec, state: { phase: 'starting', since: 0 } });
  await becomes('NoForeignVMs');
  assert.equal(slots.used, 0);
  inherited.pop();
  await becomes('ForeignVMsRunning');

  await host.tart.stop('packer', seconds(1));
  await foreign.outcome;
  await host.tart.delete('packer');
  await becomes('NoForeignVMs');
  assert.equal(slots.used, 0);
  const others = recorded.filter(words => words.includes('ForeignVMs'));
  assert.ok(others.includes('Warning ForeignVMsRunning') && others.at(-1) === 'Normal NoForeignVMs', others.join());
});
