import { machines } from '@minifleet/cli/cluster';
import { seconds } from '@minifleet/clock';
import { isConditionTrue, type Secret, secrets } from '@minifleet/kube';
import { FLEETS } from '../../up/fleets/share-hosts.ts';
import type { Breakage } from '../breakage.ts';
import { requireHurt } from '../scenes/old-way.ts';
import type { Stage } from '../stage.ts';

const KEYS = '/iam/v1alpha1/ssh-keys';
const PUBLIC = 'id_ed25519.pub';

/** What happened to the keys of fleets. */
export const fleetKeyBreakages: readonly Breakage[] = [
  {
    id: 'I23',
    title: 'SSH keys are listed under a policy of one project, which refuses a list without it',
    fleets: FLEETS,
    promise: 'a fleet whose key is new has it listed and registered, with its project',
    within: seconds(90),
    alone: true,
    async strike(stage) {
      const { client } = stage;
      const unscoped = await askVendor(stage, KEYS, 'GET');
      requireHurt(stage, { id: 'I23', seen: /ssh_key.*insufficient permissions/ }, unscoped);
      const key = await keyOfFleet(stage);
      const before = await client.get(secrets, key);
      // The whole fleet's, until it is tidied up: its hosts serve on, but nobody gets in with the new key.
      await client.delete(secrets, key);
      await mark(stage, 'I23');
      const find = async () => registeredInPlaceOf(stage, before, await client.find(secrets, key));
      return {
        did: `listed keys without the project, which the vendor refused, and deleted the Secret ${key.name}`,
        async look() {
          const [samm, found] = [await stage.machine(), await find()];
          return found && samm && isConditionTrue(samm, 'CredentialsReady')
            ? { healed: `the vendor has the new key as ${found.name} in the project ${found.projectId}` }
            : undefined;
        },
        async tidy() {
          const found = await find();
          await putBack(stage, before);
          if (found) await askVendor(stage, `${KEYS}/${found.id}`, 'DELETE');
          await mark(stage, null);
        },
      };
    },
  },
];

async function keyOfFleet({ machine, namespace }: Stage): Promise<{ namespace: string; name: string }> {
  return { namespace, name: `${(await machine())?.spec.fleetName}-ssh` };
}

/** Also has the provider look at the machine now, and not only when it next has a reason. */
async function mark({ client, namespace, name }: Stage, incident: string | null): Promise<void> {
  const body = { metadata: { annotations: { 'minifleet.dev/break': incident } } };
  await client.patch(machines, { namespace, name }, { type: 'merge', body });
}

/** The key of the Secret as the vendor has it; undefined while it has none, or there is none but the one before. */
function registeredInPlaceOf({ world }: Stage, before: Secret, secret: Secret | undefined) {
  const text = secret?.data?.[PUBLIC];
  if (text === undefined || text === before.data?.[PUBLIC]) return undefined;
  const line = Buffer.from(text, 'base64').toString();
  return world.scaleway.console.sshKeys().find(({ publicKey }) => line.startsWith(publicKey));
}

/** Over the new one, because the provider makes another where there is none. */
async function putBack({ client }: Stage, { metadata, data = {} }: Secret): Promise<void> {
  const { namespace = '', name, labels = {}, annotations = {} } = metadata;
  const secret = { metadata: { namespace, name, labels, annotations }, data };
  await client.apply(secrets, secret, { fieldManager: 'minifleet-break', force: true });
}

/** What it answers to the key of `up`, whose policy covers one project. */
async function askVendor({ world }: Stage, path: string, method: 'GET' | 'DELETE'): Promise<string> {
  const { apiURL, secretKey } = world.scaleway.apiFor();
  const answer = await fetch(`${apiURL}${path}`, { method, headers: { 'x-auth-token': secretKey } });
  return answer.text();
}
