import { hostClaim } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { nodes, secrets } from '@minifleet/kube';
import { TOKENS } from '../../join/bootstrap-token.ts';
import type { FleetBench } from './fleet-bench.ts';
import { atWork, begun, heldHost, ready, returned } from './lives.ts';
import type { Trouble } from './trouble.ts';

async function readyThen(bench: FleetBench, then: () => Promise<void>): Promise<void> {
  bench.start({ flags: ['--inspect-every=10m'] });
  await begun(bench);
  if (await ready(bench)) await then();
}

const removeSecret = ({ api }: FleetBench, name: string, namespace = 'fleet'): Promise<void> =>
  api.client.delete(secrets, { namespace, name });

const back = (bench: FleetBench, name: string): Promise<boolean> =>
  bench.until(`${name} is back`, async () =>
    Boolean(await bench.api.client.find(secrets, { namespace: 'fleet', name })),
  );

async function removeToken(bench: FleetBench): Promise<void> {
  const { items } = await bench.api.client.list(secrets, TOKENS);
  for (const { metadata } of items) await removeSecret(bench, metadata.name, 'kube-system');
  bench.expect('there was a token', items.length === 1);
}

export const troublesByHand: readonly Trouble[] = [
  {
    name: 'I37 the Node is deleted',
    comesTo: 'it is registered again, and nothing is done on the host',
    live: bench =>
      readyThen(bench, async () => {
        const before = bench.macs.taken.length;
        await bench.api.client.delete(nodes, { name: 'a' });
        await bench.until('the Node is back', async () => Boolean(await bench.api.client.find(nodes, { name: 'a' })));
        await ready(bench);
        bench.expect('nothing was done on the host', bench.macs.taken.length === before);
        await returned(bench);
      }),
  },
  {
    name: 'the Secret of the host is deleted during a run',
    comesTo: 'it is recreated from the data of the vendor, and the run goes on',
    async live(bench) {
      bench.start();
      await begun(bench);
      await atWork(bench);
      await removeSecret(bench, 'a-bootstrap');
      if (await ready(bench)) await returned(bench);
    },
  },
  {
    name: 'the Secret of the host is deleted while it serves',
    comesTo: 'it is recreated at the next pass; the Node serves on',
    live: bench =>
      readyThen(bench, async () => {
        await removeSecret(bench, 'a-bootstrap');
        await back(bench, 'a-bootstrap');
        bench.expect('a stayed Ready', await bench.isReady('a'));
        await returned(bench);
      }),
  },
  {
    name: 'the fleet’s key is deleted during a run',
    comesTo: 'the run ends with the key it has; a new key is made and registered, for hosts installed from then on',
    async live(bench) {
      bench.start();
      await begun(bench);
      await atWork(bench);
      await removeSecret(bench, 'runners-ssh');
      if (await ready(bench)) await returned(bench);
    },
  },
  {
    name: 'the fleet’s key is deleted while a host serves',
    comesTo:
      'a new one is made and registered at the next pass; the host serves on, and takes the new one when it is wiped at its end',
    live: bench =>
      readyThen(bench, async () => {
        await removeSecret(bench, 'runners-ssh');
        await back(bench, 'runners-ssh');
        await returned(bench);
        const [other] = bench.vendor.all().slice(1);
        bench.vendor.remove(other?.id ?? '');
        await bench.core.makeMachine('b');
        await bench.until('b is Ready on the same host', () => bench.isReady('b'));
      }),
  },
  {
    name: 'the token is deleted when a run has begun, so that the host is given a dead one',
    comesTo: 'a new one is made, and the next look at the host finds that it has another',
    async live(bench) {
      bench.start({
        flags: ['--inspect-every=10m'],
        meet: ({ name }) => {
          if (name === 'command 1 of job 1') void removeToken(bench);
          return undefined;
        },
      });
      await begun(bench);
      await bench.until('the run is over', async () => (await bench.find('a'))?.status?.plan?.applied !== undefined);
      await bench.pass(minutes(2));
      bench.expect('nobody joins with it', !(await bench.isReady('a')));
      if (await ready(bench)) await returned(bench);
    },
  },
  {
    name: 'I15 the kubeconfig is deleted',
    comesTo: 'another one is minted',
    live: bench =>
      readyThen(bench, async () => {
        await removeSecret(bench, 'mac-kubeconfig');
        await back(bench, 'mac-kubeconfig');
        await returned(bench);
      }),
  },
  {
    name: 'the claim is deleted',
    comesTo: 'its finalizer holds it as long as the machine lives; then both go',
    live: bench =>
      readyThen(bench, async () => {
        await bench.api.client.delete(hostClaim.resource, { name: await heldHost(bench) });
        await bench.rest();
        bench.expect('a stayed Ready', await bench.isReady('a'));
        await returned(bench);
      }),
  },
];
