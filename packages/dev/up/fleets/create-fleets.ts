import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, milliseconds, pause, seconds } from '@minifleet/clock';
import type { World } from '@minifleet/world';
import { parseAllDocuments, stringify } from 'yaml';
import { createAppSecret } from '../create-app-secret.ts';
import type { Kubectl } from '../home/kubectl.ts';
import { FLEETS, type Fleet } from './share-hosts.ts';

const EXAMPLE = fileURLToPath(new URL('../../../../docs/examples/three-fleets.yaml', import.meta.url));
const NAMESPACE = 'default';
const ASK_AGAIN = milliseconds(250);
const DEADLINE = seconds(30);

export interface CreateFleetsOptions {
  readonly kubectl: Kubectl;
  readonly clock: Clock;
  readonly world: Pick<World, 'sshKeyFile' | 'githubApp'>;
  readonly replicas: Readonly<Record<Fleet, number>>;
  /** Where the objects are written to, as they are applied. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

export const fleetsFileIn = (directory: string): string => join(directory, 'three-fleets.yaml');

/** The fleets of the example, of the given sizes, with the key that the Macs of the pool were delivered with. */
export async function createFleets(options: CreateFleetsOptions): Promise<void> {
  const { kubectl, world } = options;
  const { sshKeyFile } = world;
  const files = [`--from-file=id_ed25519=${sshKeyFile}`, `--from-file=id_ed25519.pub=${sshKeyFile}.pub`];
  const secretOf = (fleet: Fleet) => kubectl('create', 'secret', 'generic', `${fleet}-ssh`, '-n', NAMESPACE, ...files);
  await Promise.all([...FLEETS.map(secretOf), createAppSecret(kubectl, world, NAMESPACE)]);
  const file = fleetsFileIn(options.directory);
  await writeFile(file, sized(await readFile(EXAMPLE, 'utf8'), options.replicas));
  await applyWhenTaken(file, options);
}

interface Sized {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
}

const sized = (example: string, replicas: CreateFleetsOptions['replicas']): string =>
  parseAllDocuments(example)
    .map(document => document.toJS() as Sized)
    .map(object =>
      object.kind === 'MachineDeployment'
        ? { ...object, spec: { ...object.spec, replicas: replicas[object.metadata.name as Fleet] } }
        : object,
    )
    .map(object => stringify(object))
    .join('---\n');

async function applyWhenTaken(file: string, { kubectl, clock, signal }: CreateFleetsOptions): Promise<void> {
  const end = clock.now() + DEADLINE;
  for (;;) {
    try {
      await kubectl('apply', '-f', file);
      return;
    } catch (error) {
      // Core's webhooks come up a moment after its health does.
      if (clock.now() > end) throw error;
      await pause(clock, ASK_AGAIN, signal);
      signal.throwIfAborted();
    }
  }
}
