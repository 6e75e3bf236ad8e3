import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, milliseconds, pause, seconds } from '@minifleet/clock';
import type { World } from '@minifleet/world';
import { parseAllDocuments, stringify } from 'yaml';
import type { Kubectl } from '../../kubectl.ts';
import { createAppSecret } from './create-pool.ts';
import { FLEETS, type FleetName } from './share-hosts.ts';

const EXAMPLE = fileURLToPath(new URL('../../../../docs/examples/three-fleets.yaml', import.meta.url));
const NAMESPACE = 'default';
const RETRY_INTERVAL = milliseconds(250);
const RETRY_FOR = seconds(30);

interface CreateFleetsOptions {
  readonly kubectl: Kubectl;
  readonly clock: Clock;
  readonly world: Pick<World, 'sshKeyFile' | 'githubApp'>;
  readonly replicas: Readonly<Record<FleetName, number>>;
  /** Folder for a copy of the applied objects. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

export const fleetsFileIn = (directory: string): string => join(directory, 'three-fleets.yaml');

/** Creates the fleets of the example in the given sizes, with the SSH key that the Macs of the pool accept. */
export async function createFleets(options: CreateFleetsOptions): Promise<void> {
  const { kubectl, world } = options;
  const { sshKeyFile } = world;
  const files = [`--from-file=id_ed25519=${sshKeyFile}`, `--from-file=id_ed25519.pub=${sshKeyFile}.pub`];
  const createKey = (fleet: FleetName) =>
    kubectl('create', 'secret', 'generic', `${fleet}-ssh`, '-n', NAMESPACE, ...files);
  await Promise.all([...FLEETS.map(createKey), createAppSecret(kubectl, world, NAMESPACE)]);
  const file = fleetsFileIn(options.directory);
  await writeFile(file, withReplicas(await readFile(EXAMPLE, 'utf8'), options.replicas));
  await applyWithRetry(file, options);
}

interface ExampleObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
}

const withReplicas = (example: string, replicas: CreateFleetsOptions['replicas']): string =>
  parseAllDocuments(example)
    .map(document => document.toJS() as ExampleObject)
    .map(object =>
      object.kind === 'MachineDeployment'
        ? { ...object, spec: { ...object.spec, replicas: replicas[object.metadata.name as FleetName] } }
        : object,
    )
    .map(object => stringify(object))
    .join('---\n');

async function applyWithRetry(file: string, { kubectl, clock, signal }: CreateFleetsOptions): Promise<void> {
  const end = clock.now() + RETRY_FOR;
  for (;;) {
    try {
      await kubectl('apply', '-f', file);
      return;
    } catch (error) {
      // The webhooks of Cluster API start a moment after its health endpoint.
      if (clock.now() > end) throw error;
      await pause(clock, RETRY_INTERVAL, signal);
      signal.throwIfAborted();
    }
  }
}
