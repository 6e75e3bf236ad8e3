/** A directory that goes with this process, however that ends. */
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { readEnvironment } from '../environment.ts';
import { startWatchdog } from './watchdog.ts';

export type DoomedDirectory = { readonly path: string; remove(): Promise<void> };

export async function createDoomedDirectory(prefix: string): Promise<DoomedDirectory> {
  const watchdog = startWatchdog();
  const directory = await mkdtemp(path.join(readEnvironment().temporaryDirectory, prefix));
  await watchdog.removeDirectory(directory);
  return { path: directory, remove: () => watchdog.close() };
}
