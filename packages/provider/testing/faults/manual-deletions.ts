import { macHost } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { nodes, secrets } from '@minifleet/kube';
import { TOKENS } from '../../join/bootstrap-token.ts';
import type { ProviderFailureScenario } from './failure-scenario.ts';
import type { FleetFaultBench } from './fleet-fault-bench.ts';
import { createMachine, deleteMachine, heldHost, untilJobRuns, untilReady } from './machine-steps.ts';

async function onceReady(bench: FleetFaultBench, act: () => Promise<void>): Promise<void> {
  bench.start({ flags: ['--inspect-every=10m'] });
  await createMachine(bench);
  if (await untilReady(bench)) await act();
}

const deleteSecret = ({ api }: FleetFaultBench, name: string, namespace = 'fleet'): Promise<void> =>
  api.client.delete(secrets, { namespace, name });

const untilRecreated = (bench: FleetFaultBench, name: string): Promise<boolean> =>
  bench.until(`the Secret ${name} exists again`, async () =>
    Boolean(await bench.api.client.find(secrets, { namespace: 'fleet', name })),
  );

async function deleteToken(bench: FleetFaultBench): Promise<void> {
  const { items } = await bench.api.client.list(secrets, TOKENS);
  for (const { metadata } of items) await deleteSecret(bench, metadata.name, 'kube-system');
  bench.expect('a bootstrap token existed', items.length === 1);
}

export const manualDeletions: readonly ProviderFailureScenario[] = [
  {
    name: 'I37 the Node is deleted',
    expected: 'the agent registers the Node again, and the provider changes nothing on the host',
    run: bench =>
      onceReady(bench, async () => {
        const before = bench.macs.leaseAcquisitions.length;
        await bench.api.client.delete(nodes, { name: 'a' });
        await bench.until('the Node exists again', async () =>
          Boolean(await bench.api.client.find(nodes, { name: 'a' })),
        );
        await untilReady(bench);
        bench.expect('no provider changed the host', bench.macs.leaseAcquisitions.length === before);
        await deleteMachine(bench);
      }),
  },
  {
    name: 'the host Secret is deleted during a bootstrap',
    expected: 'the provider recreates the Secret from the data of the vendor, and the bootstrap continues',
    async run(bench) {
      bench.start();
      await createMachine(bench);
      await untilJobRuns(bench);
      await deleteSecret(bench, `${await heldHost(bench)}-credentials`);
      if (await untilReady(bench)) await deleteMachine(bench);
    },
  },
  {
    name: 'the host Secret is deleted while the Node is Ready',
    expected: 'the provider recreates the Secret at the next reconcile, and the machine stays Ready',
    run: bench =>
      onceReady(bench, async () => {
        await deleteSecret(bench, `${await heldHost(bench)}-credentials`);
        await untilRecreated(bench, `${await heldHost(bench)}-credentials`);
        bench.expect('a stayed Ready', await bench.isReady('a'));
        await deleteMachine(bench);
      }),
  },
  {
    name: 'the fleet key is deleted during a bootstrap',
    expected:
      'the bootstrap finishes with the deleted key. The provider creates and registers a new key, which hosts installed afterwards accept.',
    async run(bench) {
      bench.start();
      await createMachine(bench);
      await untilJobRuns(bench);
      await deleteSecret(bench, 'runners-ssh');
      if (await untilReady(bench)) await deleteMachine(bench);
    },
  },
  {
    name: 'the fleet key is deleted while a Node is Ready',
    expected:
      'the provider creates and registers a new key at the next reconcile. The host stays in service and accepts the new key after its reinstallation.',
    run: bench =>
      onceReady(bench, async () => {
        await deleteSecret(bench, 'runners-ssh');
        await untilRecreated(bench, 'runners-ssh');
        await deleteMachine(bench);
        const [other] = bench.vendor.all().slice(1);
        bench.vendor.remove(other?.id ?? '');
        await bench.core.makeMachine('b');
        await bench.until('b is Ready on the same host', () => bench.isReady('b'));
      }),
  },
  {
    name: 'the bootstrap token is deleted right after the start of a bootstrap, so the host receives an invalid token',
    expected: 'the provider creates a new token, and the next inspection of the host detects the outdated token',
    async run(bench) {
      bench.start({
        flags: ['--inspect-every=10m'],
        onEffect: ({ name }) => {
          if (name === 'command 1 of job 1') void deleteToken(bench);
          return undefined;
        },
      });
      await createMachine(bench);
      await bench.until(
        'the bootstrap has finished',
        async () => (await bench.hostOf('a'))?.status?.plan?.applied !== undefined,
      );
      await bench.pass(minutes(2));
      bench.expect('no agent joins with the invalid token', !(await bench.isReady('a')));
      if (await untilReady(bench)) await deleteMachine(bench);
    },
  },
  {
    name: 'I15 the kubeconfig is deleted',
    expected: 'the provider mints a new kubeconfig',
    run: bench =>
      onceReady(bench, async () => {
        await deleteSecret(bench, 'mac-kubeconfig');
        await untilRecreated(bench, 'mac-kubeconfig');
        await deleteMachine(bench);
      }),
  },
  {
    name: 'the MacHost is deleted while its machine holds it',
    expected:
      'its finalizer keeps the MacHost until the machine is deleted. Then the MacHost goes, and discovery creates a new one for the server.',
    run: bench =>
      onceReady(bench, async () => {
        await bench.api.client.delete(macHost.resource, { name: await heldHost(bench) });
        await bench.settle();
        bench.expect('a stayed Ready', await bench.isReady('a'));
        await deleteMachine(bench);
      }),
  },
];
