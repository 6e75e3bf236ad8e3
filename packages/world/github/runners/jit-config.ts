import { scopePath } from '../accounts.ts';
import type { GithubState } from '../github-state.ts';
import type { Runner } from './runner.ts';

/** The files `run.sh --jitconfig` writes before it starts: what a runner needs to sign in. */
export type RunnerFiles = Readonly<Record<'.runner' | '.credentials' | '.credentials_rsaparams', string>>;

/**
 * Names and shapes of the files are the real ones (facts §6.6; values are all strings in a just-in-time
 * configuration, derived from actions/runner). Addresses lead to this forge, where a simulated runner signs in with
 * its `clientId`; the key is noise, for no simulated runner signs with it.
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

/** base64 of a JSON object of file name → base64 of its content. A secret until it is used. */
export const encodeJitConfig = (files: RunnerFiles): string =>
  toBase64(JSON.stringify(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, toBase64(text)]))));

/** The files in it, by name; undefined for anything else. */
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

/** What a simulated `run.sh` reads out of its files; throws when one of them is not as it should be. */
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

/** What a runner would read out of its configuration; undefined for anything else. */
export function readJitConfig(encoded: string): RunnerIdentity | undefined {
  const files = decodeJitConfig(encoded);
  return files && readRunnerFiles(files);
}
