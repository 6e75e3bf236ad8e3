import { conditionText, machines } from '@minifleet/cli/cluster';
import { minutes, seconds } from '@minifleet/clock';
import { isConditionTrue, type KubeSecret, secrets } from '@minifleet/kube';
import { FLEETS } from '../up/fleets/share-hosts.ts';
import type { FaultTarget } from './fault-target.ts';
import { requireEffect } from './fixtures/preconditions.ts';
import type { Incident } from './incident.ts';

export const POOL_PREFIX = 'tuist-pool-';
/** The image of the incident. No Mac of `up` runs it, so its retirement affects no other host. */
const RETIRED = 'macos-tahoe-26.3';
const KEYS = '/iam/v1alpha1/ssh-keys';
const PUBLIC = 'id_ed25519.pub';

/** Message of an SDK error with its help text. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? `${(error as { helpMessage?: string }).helpMessage ?? ''} ${error.message}` : String(error);

async function fleetKeyOf({ machine, namespace }: FaultTarget): Promise<{ namespace: string; name: string }> {
  return { namespace, name: `${(await machine())?.spec.fleetName}-ssh` };
}

/** Annotates the machine, so that the provider reconciles it now. */
async function annotate({ client, namespace, name }: FaultTarget, incident: string | null): Promise<void> {
  const body = { metadata: { annotations: { 'minifleet.dev/break': incident } } };
  await client.patch(machines, { namespace, name }, { type: 'merge', body });
}

/** Returns the vendor's registration of the new key; undefined while the Secret still has the old key or the vendor lacks the new one. */
function findRegistered({ world }: FaultTarget, before: KubeSecret, secret: KubeSecret | undefined) {
  const text = secret?.data?.[PUBLIC];
  if (text === undefined || text === before.data?.[PUBLIC]) return undefined;
  const line = Buffer.from(text, 'base64').toString();
  return world.scaleway.console.sshKeys().find(({ publicKey }) => line.startsWith(publicKey));
}

/** Overwrites the new Secret, because the provider creates another key when there is none. */
async function restoreSecret({ client }: FaultTarget, { metadata, data = {} }: KubeSecret): Promise<void> {
  const { namespace = '', name, labels = {}, annotations = {} } = metadata;
  const secret = { metadata: { namespace, name, labels, annotations }, data };
  await client.apply(secrets, secret, { fieldManager: 'minifleet-break', force: true });
}

/** Calls the vendor with the API key of `up`, whose policy covers one project. */
async function callVendor({ world }: FaultTarget, path: string, method: 'GET' | 'DELETE'): Promise<string> {
  const { apiURL, secretKey } = world.scaleway.apiFor();
  const response = await fetch(`${apiURL}${path}`, { method, headers: { 'x-auth-token': secretKey } });
  return response.text();
}

/** Incidents with the vendor's permissions and images. */
export const vendorIncidents: readonly Incident[] = [
  {
    id: 'I23',
    title: 'SSH keys are listed without a project under a project-scoped policy',
    oldWay: {
      procedure: 'called ListSSHKeys without a project ID',
      symptom: /insufficient permissions: list ssh_key/,
      async run(env) {
        const vendor = await env.vendor();
        return vendor.iam.listSSHKeys({}).then(() => 'listed', errorText);
      },
    },
    coveredBy: 'packages/vendors/scaleway/scaleway-rights.contract.test.ts',
    live: {
      fault: 'SSH keys are listed under a policy for one project, which rejects a list without the project',
      fleets: FLEETS,
      expected: 'the provider lists and registers the new key of a fleet with its project',
      within: seconds(90),
      alone: true,
      async inject(target) {
        const { client } = target;
        const unscoped = await callVendor(target, KEYS, 'GET');
        requireEffect(target, 'I23', /ssh_key.*insufficient permissions/, unscoped);
        const key = await fleetKeyOf(target);
        const before = await client.get(secrets, key);
        // Affects the whole fleet until the cleanup: its hosts stay Ready, but reject the new key.
        await client.delete(secrets, key);
        await annotate(target, 'I23');
        const find = async () => findRegistered(target, before, await client.find(secrets, key));
        return {
          action: `listed keys without the project, which the vendor rejected, and deleted the Secret ${key.name}`,
          async check() {
            const [machine, found] = [await target.machine(), await find()];
            return found && machine && isConditionTrue(machine, 'CredentialsReady')
              ? { repaired: `the vendor has the new key as ${found.name} in the project ${found.projectId}` }
              : undefined;
          },
          async cleanUp() {
            const found = await find();
            await restoreSecret(target, before);
            if (found) await callVendor(target, `${KEYS}/${found.id}`, 'DELETE');
            await annotate(target, null);
          },
        };
      },
    },
  },
  {
    id: 'I31',
    title: 'the exact OS image is retired, and no pool host matches any more',
    oldWay: {
      procedure: `filtered the pool by the image name ${RETIRED} after the vendor had retired it and reinstalled the hosts`,
      symptom: /0 of 2 pool hosts match macos-tahoe-26\.3/,
      async run(env) {
        const vendor = await env.vendor();
        const hosts = [
          await vendor.console.addServer({ name: `${POOL_PREFIX}1` }),
          await vendor.console.addServer({ name: `${POOL_PREFIX}2` }),
        ];
        vendor.console.retireImage(RETIRED);
        for (const { id: serverId } of hosts) await vendor.servers.reinstallServer({ serverId });
        await env.surroundings.clock.advance(minutes(30));
        const { servers } = await vendor.servers.listServers({ projectId: vendor.apiFor().defaultProjectId });
        const matching = servers.filter(server => server.os?.name === RETIRED);
        return `${matching.length} of ${servers.length} pool hosts match ${RETIRED}`;
      },
    },
    coveredBy:
      'packages/provider/machines/choose-mac-host.test.ts, packages/vendors/scaleway/scaleway-quirks.contract.test.ts',
    live: {
      fault: `the vendor retires ${RETIRED}, the image of the machine`,
      fleets: FLEETS,
      expected: 'the machine reports which image of the family is used instead, and stays Ready',
      within: seconds(60),
      async inject(target) {
        const { namespace, name, world } = target;
        const { console: vendor } = world.scaleway;
        const image = vendor.catalogue().images.find(offered => offered.name === RETIRED);
        // Affects the whole catalogue of the vendor until the cleanup.
        vendor.retireImage(RETIRED);
        const os = (await target.machine())?.spec.os;
        const write = (desired: string | undefined) =>
          target.client.patch(machines, { namespace, name }, { type: 'merge', body: { spec: { os: desired } } });
        await write(RETIRED);
        return {
          action: `retired ${RETIRED} at the vendor, and set it as the image of the machine`,
          async check() {
            const machine = await target.machine();
            const message = machine && conditionText(machine, 'OSImageCurrent', 'False');
            return message?.includes(RETIRED) && (await target.isReady()) ? { reported: message } : undefined;
          },
          async cleanUp() {
            await write(os);
            if (image) vendor.publishImage(image);
          },
        };
      },
    },
  },
];
