import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { m1 } from '@minifleet/world/mac';
import type { Stage } from '../stage.ts';
import { asUser } from './as-user.ts';

/** The scripts of our workflows. */
const SCRIPTS = fileURLToPath(new URL('../../../../images/host/', import.meta.url));
const FOLDER = '/Users/m1/images';
/** In its environment, as a workflow gives them to that step and to no other. */
const WITH_CREDENTIALS =
  'PATH=/usr/local/bin:$PATH TART_REGISTRY_HOSTNAME=ghcr.io TART_REGISTRY_USERNAME=robot TART_REGISTRY_PASSWORD=secret';

/** A push that goes on. */
export interface Push {
  readonly image: string;
  /** So far. */
  said(): string;
  /** Whether it has ended well and the registry has all of it. */
  pushed(): boolean;
}

/** Begins to push a VM as our workflow does, where the runner's jobs do it. */
export async function pushBake(stage: Stage, vm: string): Promise<Push> {
  const { files } = stage.mac();
  files.makeDirectory(m1, FOLDER, { parents: true });
  for (const name of ['push.sh', 'watched.sh']) files.write(m1, `${FOLDER}/${name}`, await readFile(SCRIPTS + name));
  const repository = `baked/${stage.name}-${stage.since.toString(36)}`;
  const image = `ghcr.io/${repository}:1`;
  let said = '';
  let code: number | undefined;
  const err = {
    write(text: string | Buffer): void {
      said += String(text);
    },
  };
  void asUser(stage, `${WITH_CREDENTIALS} sh ${FOLDER}/push.sh ${vm} ${image}`, { screen: true, err }).then(ended => {
    code = ended.code;
  });
  return {
    image,
    said: () => said,
    pushed: () => code === 0 && stage.world.registry.content.manifests.has(repository),
  };
}
