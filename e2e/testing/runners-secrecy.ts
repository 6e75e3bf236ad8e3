/** Everything that is written down where what a runner is started with has no business. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Secret } from '@minifleet/kube';
import { CONFIGURATION_KEY } from '../../packages/runners/runner/registration.ts';
import { decodeJitConfig, readRunnerFiles } from '../../packages/world/github/runners/jit-config.ts';
import { ofProcess, processesOf } from './processes-of.ts';
import type { RunnersBench } from './runners-bench.ts';

/** Texts by which a configuration would be known: as it is, as its Secret has it, and what the runner signs in with. */
export function tracesOf({ data = {} }: Secret): readonly string[] {
  const encoded = data[CONFIGURATION_KEY] ?? '';
  const configuration = Buffer.from(encoded, 'base64').toString();
  const files = decodeJitConfig(configuration);
  return files ? [configuration, encoded, readRunnerFiles(files).clientId] : [];
}

/** What stands where it must not, by place. */
export async function everythingWritten(bench: RunnersBench): Promise<ReadonlyMap<string, string>> {
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

/** The one place beside the Secret where it is: the environment of a runner in its guest. */
export const insideGuests = (bench: RunnersBench): string => textsOf(processesAround(bench), 'environ', isOfGuest);

/** Files that the agents keep on the disks of their Macs and that hold the text: there it is for as long as its guest runs. */
export const filesOnMacs = (bench: RunnersBench, text: string): readonly string[] =>
  macFolders(bench)
    .flatMap(mac => filesBelow(mac))
    .filter(file => textOf(file).includes(text));

/** Of every kind there is, in every namespace; events are among them. */
async function objectsOf({ kubectl }: RunnersBench): Promise<string> {
  const kinds = (await kubectl.run(['api-resources', '--verbs=list', '-o', 'name'])).stdout.trim().split('\n');
  const looked = kinds.filter(kind => kind !== 'secrets');
  return (await kubectl.run(['get', looked.join(','), '--all-namespaces', '-o', 'json'])).stdout;
}

/** Of the Macs, their guests, the cluster and our programs. */
const processesAround = (bench: RunnersBench): readonly string[] => [
  ...new Set([dirname(bench.world.sshKeyFile), bench.cluster.directory].flatMap(processesOf)),
];

const isOfGuest = (environment: string): boolean => environment.includes('GUEST_ROOT=');

const textsOf = (
  pids: readonly string[],
  file: 'cmdline' | 'environ',
  chosen: (text: string) => boolean = () => true,
): string =>
  pids
    .map(pid => ofProcess(pid, file))
    .filter(chosen)
    .join('\n');

/** The folders of this machine that agents see as their Macs. */
const macFolders = (bench: RunnersBench): readonly string[] =>
  processesAround(bench).flatMap(pid => /--state-dir=(\S+?)\/var\/lib/.exec(ofProcess(pid, 'cmdline'))?.[1] ?? []);

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

const textsOfFiles = (files: readonly string[]): string => files.map(textOf).join('\n');

/** Files come and go while they are read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
