/** Searches places that must not contain the JIT configuration of a runner. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KubeSecret } from '@minifleet/kube';
import { CONFIGURATION_KEY } from '@minifleet/runners/testing/runner';
import { decodeJitConfig, readRunnerFiles } from '@minifleet/world/testing/github';
import { findProcesses, readProcFile } from './processes.ts';
import type { RunnersBench } from './runners-bench.ts';

/** Texts that identify a JIT configuration: as plain text, as in its Secret, and its client ID. */
export function tracesOf({ data = {} }: KubeSecret): readonly string[] {
  const encoded = data[CONFIGURATION_KEY] ?? '';
  const configuration = Buffer.from(encoded, 'base64').toString();
  const files = decodeJitConfig(configuration);
  return files ? [configuration, encoded, readRunnerFiles(files).clientId] : [];
}

/** Reads all texts that must not contain it, by place. */
export async function readPublicTexts(bench: RunnersBench): Promise<ReadonlyMap<string, string>> {
  const processes = processesAround(bench);
  return new Map([
    ['objects other than Secrets', await objectsOf(bench)],
    ['log of the runners program', bench.program().log()],
    ['log of the provider', bench.provider.log()],
    ['logs of the cluster', textsOfFiles(filesBelow(bench.cluster.directory).filter(file => file.endsWith('.log')))],
    ['logs on the Macs', textsOfFiles(macFolders(bench).flatMap(mac => filesBelow(join(mac, 'var/log'))))],
    ['command lines', textsOf(processes, 'cmdline')],
    ['environments outside guests', textsOf(processes, 'environ', environment => !isOfGuest(environment))],
  ]);
}

/** Environments of the runners in their guests, the only place besides the Secret. */
export const readGuestEnvironments = (bench: RunnersBench): string =>
  textsOf(processesAround(bench), 'environ', isOfGuest);

/** Files of the agents on their Macs that contain the text. They exist while the guest runs. */
export const findFilesOnMacs = (bench: RunnersBench, text: string): readonly string[] =>
  macFolders(bench)
    .flatMap(mac => filesBelow(mac))
    .filter(file => textOf(file).includes(text));

/** Reads the objects of every resource except Secrets in every namespace, including events. */
async function objectsOf({ kubectl }: RunnersBench): Promise<string> {
  const kinds = (await kubectl.run(['api-resources', '--verbs=list', '-o', 'name'])).stdout.trim().split('\n');
  const readable = kinds.filter(kind => kind !== 'secrets');
  return (await kubectl.run(['get', readable.join(','), '--all-namespaces', '-o', 'json'])).stdout;
}

/** Processes of the Macs, their guests, the cluster and Minifleet's programs. */
const processesAround = (bench: RunnersBench): readonly string[] => [
  ...new Set([dirname(bench.world.sshKeyFile), bench.cluster.directory].flatMap(findProcesses)),
];

const isOfGuest = (environment: string): boolean => environment.includes('GUEST_ROOT=');

const textsOf = (
  pids: readonly string[],
  file: 'cmdline' | 'environ',
  chosen: (text: string) => boolean = () => true,
): string =>
  pids
    .map(pid => readProcFile(pid, file))
    .filter(chosen)
    .join('\n');

/** Folders of this machine that are the disks of the Macs. */
const macFolders = (bench: RunnersBench): readonly string[] =>
  processesAround(bench).flatMap(pid => /--state-dir=(\S+?)\/var\/lib/.exec(readProcFile(pid, 'cmdline'))?.[1] ?? []);

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

const textsOfFiles = (files: readonly string[]): string => files.map(textOf).join('\n');

/** Returns an empty string for a file that is gone by now. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
