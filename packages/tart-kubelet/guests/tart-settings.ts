import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TartSettings } from './tart.ts';
import { TartError } from './tart-error.ts';

export interface Setting {
  /** Where the VM's files are. */
  readonly bundle: string;
  readonly name: string;
  readonly settings: TartSettings;
  readonly set: (argv: readonly [string, ...string[]]) => Promise<string>;
}

/** A clone that keeps its image's identity is not told by Tart; hence what was set is read back (facts 13.1 item 33). */
export async function setAndVerify({ bundle, name, settings, set }: Setting): Promise<void> {
  const { cpus, memoryMegabytes, freshIdentity } = settings;
  const options = [
    ...(cpus === undefined ? [] : ['--cpu', `${cpus}`]),
    ...(memoryMegabytes === undefined ? [] : ['--memory', `${memoryMegabytes}`]),
    ...(freshIdentity ? ['--random-mac', '--random-serial'] : []),
  ];
  if (options.length === 0) return;
  const before = await readConfig(bundle, name);
  await set(['set', name, ...options]);
  const after = await readConfig(bundle, name);
  const wrong = [
    cpus !== undefined && after.cpuCount !== cpus && `it has ${after.cpuCount} CPUs instead of ${cpus}`,
    memoryMegabytes !== undefined &&
      after.memorySize !== memoryMegabytes * 1024 ** 2 &&
      `it has ${after.memorySize} bytes of memory instead of ${memoryMegabytes} MiB`,
    freshIdentity && after.macAddress === before.macAddress && 'it kept its MAC address',
    freshIdentity && before.ecid !== undefined && after.ecid === before.ecid && 'it kept its machine id',
  ].filter(word => typeof word === 'string');
  if (wrong.length > 0) throw new TartError('other', { command: 'set', words: `VM "${name}": ${wrong.join(', ')}` });
}

interface VmConfig {
  readonly cpuCount?: number;
  readonly memorySize?: number;
  readonly macAddress?: string;
  readonly ecid?: string;
}

async function readConfig(bundle: string, name: string): Promise<VmConfig> {
  try {
    return JSON.parse(await readFile(join(bundle, 'config.json'), 'utf8')) as VmConfig;
  } catch (cause) {
    const words = `the configuration of VM "${name}" cannot be read: ${(cause as Error).message}`;
    throw new TartError('damaged', { command: 'set', words }, { cause });
  }
}
