import { minutes } from '@minifleet/clock';
import type { OldWay } from './old-way.ts';
import type { Vendor } from './scene-mac.ts';

const POOL_PREFIX = 'tuist-pool-';

/** The operators' claim: the first free host by name, renamed. Nothing asks whether it is still free. */
async function adoptByPrefix(vendor: Vendor, claimName: string): Promise<string | undefined> {
  const { servers } = await vendor.servers.listServers({ projectId: vendor.apiFor().defaultProjectId });
  const free = servers.find(server => server.name.startsWith(POOL_PREFIX));
  if (!free) return undefined;
  await vendor.servers.updateServer({ serverId: free.id, name: claimName });
  return free.id;
}

const wordsOf = (error: unknown): string =>
  error instanceof Error ? `${(error as { helpMessage?: string }).helpMessage ?? ''} ${error.message}` : String(error);

export const vendorIncidents: readonly OldWay[] = [
  {
    id: 'I11',
    title: 'the operator clears serverID, and the loop adopts a pool host for the doomed object',
    did: 'cleared serverID of an object about to be deleted; the reconcile loop ran once before the delete arrived',
    seen: /adopted a pool host for a doomed object/,
    async run(scene) {
      const vendor = await scene.vendor();
      await vendor.console.addServer({ name: `${POOL_PREFIX}1` });
      const doomed: { name: string; serverID?: string } = { name: 'runners-bzd26', serverID: 'shared-host' };
      delete doomed.serverID; // kubectl patch --subresource=status
      if (doomed.serverID === undefined) Object.assign(doomed, { serverID: await adoptByPrefix(vendor, doomed.name) });
      const taken = vendor.console.servers().filter(server => server.name === doomed.name);
      return taken.length > 0 ? 'adopted a pool host for a doomed object' : 'nothing was adopted';
    },
  },
  {
    id: 'I12',
    title: 'deleting a machine deletes the server, which the licence forbids for 24 hours',
    did: 'called the vendor’s delete from the finalizer, an hour after the order',
    seen: /cannot be deleted before/,
    async run(scene) {
      const vendor = await scene.vendor();
      const { id: serverId } = await vendor.console.addServer({ name: 'runners-k6kwt', age: minutes(60) });
      return vendor.servers.deleteServer({ serverId }).then(() => 'deleted', wordsOf);
    },
  },
  {
    id: 'I13',
    title: 'three objects bound to one host',
    did: 'three reconciles listed the pool before any of them renamed, then each renamed the host it had seen free',
    seen: /3 objects hold one host/,
    async run(scene) {
      const vendor = await scene.vendor();
      await vendor.console.addServer({ name: `${POOL_PREFIX}1` });
      const names = ['runners-bzd26', 'runners-ffjpx', 'runners-k6kwt'];
      const held = await Promise.all(names.map(name => adoptByPrefix(vendor, name)));
      return `${held.filter(id => id !== undefined && id === held[0]).length} objects hold one host`;
    },
  },
  {
    id: 'I22',
    title: 'a machine is deleted and its mini runs on, billed',
    did: 'removed the object and its finalizer, and nothing told the vendor',
    seen: /still ready and billed for (?!0\b)/,
    async run(scene) {
      const vendor = await scene.vendor();
      await vendor.console.addServer({ name: 'runners-h5dkz' });
      const before = hoursBilled(vendor);
      await scene.around.clock.advance(minutes(60 * 24));
      const [server] = vendor.console.servers();
      return `nobody wants it, and it is still ${server?.status} and billed for ${hoursBilled(vendor) - before} more hours`;
    },
  },
  {
    id: 'I23',
    title: 'SSH keys are listed without a project under a project-scoped policy',
    did: 'called ListSSHKeys with no project id',
    seen: /insufficient permissions: list ssh_key/,
    async run(scene) {
      const vendor = await scene.vendor();
      return vendor.iam.listSSHKeys({}).then(() => 'listed', wordsOf);
    },
  },
  {
    id: 'I31',
    title: 'the exact OS image is retired, and no pool host matches again',
    did: 'filtered the pool by the image name macos-tahoe-26.3 after the vendor had retired it and reinstalled the hosts',
    seen: /0 of 2 pool hosts match macos-tahoe-26\.3/,
    async run(scene) {
      const wanted = 'macos-tahoe-26.3';
      const vendor = await scene.vendor();
      const hosts = [
        await vendor.console.addServer({ name: `${POOL_PREFIX}1` }),
        await vendor.console.addServer({ name: `${POOL_PREFIX}2` }),
      ];
      vendor.console.retireImage(wanted);
      for (const { id: serverId } of hosts) await vendor.servers.reinstallServer({ serverId });
      await scene.around.clock.advance(minutes(30));
      const { servers } = await vendor.servers.listServers({ projectId: vendor.apiFor().defaultProjectId });
      const matching = servers.filter(server => server.os?.name === wanted);
      return `${matching.length} of ${servers.length} pool hosts match ${wanted}`;
    },
  },
];

const hoursBilled = (vendor: Vendor): number => vendor.console.bill().reduce((sum, line) => sum + line.hours, 0);
