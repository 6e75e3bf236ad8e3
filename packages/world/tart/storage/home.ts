import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The places below TART_HOME (facts 10.3). `cache` and `tmp` appear with any command that touches storage. */
export interface Home {
  readonly root: string;
  readonly vms: string;
  readonly images: string;
  readonly temporary: string;
  /** Stands for the flock on the home directory. */
  readonly lock: string;
}

export function openHome(root: string): Home {
  const home = {
    root,
    vms: join(root, 'vms'),
    images: join(root, 'cache', 'OCIs'),
    temporary: join(root, 'tmp'),
    lock: join(root, '.lock'),
  };
  for (const path of [home.vms, home.images, join(root, 'cache', 'IPSWs'), home.temporary]) {
    mkdirSync(path, { recursive: true });
  }
  return home;
}
