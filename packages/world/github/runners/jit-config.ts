import { scopePath } from '../accounts.ts';
import type { GithubState } from '../github-state.ts';
import type { Runner } from './runner.ts';

/** The files that `run.sh --jitconfig` writes before it starts: the credentials of a runner. */
export type RunnerFiles = Readonly<Record<'.runner' | '.credentials' | '.credentials_rsaparams', string>>;

/**
 * Creates the files with their real names and formats (facts §6.6; in a JIT configuration all values are strings,
 * derived from actions/runner). The URLs point to this server, where a simulated runner authenticates with its
 * `clientId`. The key is random, because no simulated runner signs with it.
 */
export function runnerFiles(forge: Pick<GithubState, 'address' | 'world'>, runner: Runner): RunnerFiles {
  const number = (bytes: number): string => Buffer.from(forge.world.chance.hex(bytes * 2), 'hex').toString('base64');
  const group = runner.scope.account.groups.find(each => each.id === runner.groupId);
  return {
    '.runner': JSON.stringify({
      AgentId: String(runner.id),
      AgentName: runner.name,
      DisableUpdate: 'False',
      Ephemeral: runner.ephemeral ? 'True' : 'False',
      PoolId: String(runner.groupId),
      PoolName: group?.name ?? 'Default',
      ServerUrl: `${forge.address.api}/_world/runner/`,
      GitHubUrl: `${forge.address.html}/${scopePath(runner.scope)}`,
      WorkFolder: runner.workFolder,
    }),
    '.credentials': JSON.stringify({
      Scheme: 'OAuth',
      Data: {
        ClientId: runner.clientId,
        AuthorizationUrl: `${forge.address.api}/_world/runner/`,
        RequireFipsCryptography: 'True',
      },
    }),
    '.credentials_rsaparams': JSON.stringify({
      d: number(256),
      dp: number(128),
      dq: number(128),
      exponent: 'AQAB',
      inverseQ: number(128),
      modulus: number(256),
      p: number(128),
      q: number(128),
    }),
  };
}

const toBase64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** base64 of a JSON object of file name → base64 of its content. Secret until it is used. */
export const encodeJitConfig = (files: RunnerFiles): string =>
  toBase64(JSON.stringify(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, toBase64(text)]))));

/** Returns the files by name; undefined for an invalid configuration. */
export function decodeJitConfig(encoded: string): Readonly<Record<string, string>> | undefined {
  try {
    const files = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as Record<string, string>;
    return Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, Buffer.from(text, 'base64').toString('utf8')]),
    );
  } catch {
    return undefined;
  }
}

interface RunnerIdentity {
  readonly name: string;
  readonly clientId: string;
  readonly serverUrl: string;
  readonly ephemeral: boolean;
  readonly workFolder: string;
}

/** Reads the files as a simulated `run.sh` does. Throws when one of them is invalid. */
export function readRunnerFiles(files: Readonly<Record<string, string>>): RunnerIdentity {
  const read = (name: string): Record<string, unknown> =>
    JSON.parse((files[name] ?? '').replace(/^\ufeff/, '')) as Record<string, unknown>;
  const runner = read('.runner');
  const { ClientId } = read('.credentials')['Data'] as Record<string, unknown>;
  return {
    name: String(runner['AgentName']),
    clientId: String(ClientId),
    serverUrl: String(runner['ServerUrl']),
    ephemeral: runner['Ephemeral'] === 'True',
    workFolder: String(runner['WorkFolder']),
  };
}

/** Reads a JIT configuration as a runner does; undefined for an invalid one. */
export function readJitConfig(encoded: string): RunnerIdentity | undefined {
  const files = decodeJitConfig(encoded);
  return files && readRunnerFiles(files);
}
