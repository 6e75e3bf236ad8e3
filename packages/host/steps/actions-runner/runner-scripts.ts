import { createHash } from 'node:crypto';
import { minutes } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import { createRedactor, secretsIn } from '@minifleet/secret';
import { HOST_COMMAND_FAILED, HOST_UPLOAD_INCOMPLETE } from '../../errors.ts';
import type { Host, HostCommandResult } from '../../host.ts';
import { loadScript } from '../../load-script.ts';
import { fileFailure } from '../../script-failure.ts';
import type { ActionsRunnerSettings } from './actions-runner.ts';
import {
  HOST_RUNNER_ARCHIVE_UNUSABLE,
  HOST_RUNNER_BUSY,
  HOST_RUNNER_NEEDS_SESSION,
  HOST_RUNNER_REGISTRATION_FAILED,
  HOST_RUNNER_STUCK,
  HOST_RUNNER_VERSION_OUTDATED,
} from './errors.ts';
import { ARCHIVE, agentLabel, agentPath, DIRECTORY, JOB_PATH, renderAgent } from './runner-state.ts';

/** Writes the files of the job and restarts it. Returns notes about removed agents. */
export async function startRunner(
  host: Host,
  want: ActionsRunnerSettings,
  how: 'gently' | 'anyway',
): Promise<string[]> {
  const { user } = want;
  const label = agentLabel(want);
  const agent = renderAgent(user, label);
  const sha256 = createHash('sha256').update(agent).digest('hex');
  const args = [DIRECTORY, user, label, JOB_PATH, sha256, how];
  const ran = await host.script('start-runner', args, { stdin: agent, timeout: minutes(4) });
  if (ran.exitCode === 0) return ran.stdout.split('\n').filter(line => line.startsWith('removed '));
  throw (
    exitCodeError(ran.exitCode ?? 0, { host, want, label }) ??
    runnerScriptError(host, { script: 'start-runner', ran, want })
  );
}

interface RunnerStart {
  readonly host: Host;
  readonly want: ActionsRunnerSettings;
  readonly label: string;
}

function exitCodeError(exitCode: number, { host, want, label }: RunnerStart): CataloguedError | undefined {
  const { address } = host;
  switch (exitCode) {
    case 80:
      return HOST_UPLOAD_INCOMPLETE({ path: agentPath(want.user, label), address });
    case 82:
      return HOST_RUNNER_BUSY({ name: want.name, address });
    case 83:
      return HOST_RUNNER_NEEDS_SESSION({ user: want.user, address });
    case 86:
      return HOST_RUNNER_STUCK({ label, address });
    default:
      return undefined;
  }
}

const NO_RUNNER = 84;

/** Uploads the archive unless the host has it, and unpacks it. An existing registration is kept. */
export async function unpackRunner(host: Host, want: ActionsRunnerSettings): Promise<void> {
  const { archive, user, version } = want;
  await host.upload({ path: ARCHIVE, mode: 0o600, owner: 'root:wheel' }, archive);
  const ran = await host.script('unpack-runner', [DIRECTORY, user, ARCHIVE, version, archive.sha256], {
    timeout: minutes(5),
  });
  if (ran.exitCode === 0) return;
  if (ran.exitCode !== NO_RUNNER) throw runnerScriptError(host, { script: 'unpack-runner', ran, want });
  throw HOST_RUNNER_ARCHIVE_UNUSABLE({
    archive: archive.name,
    version,
    output: ran.stderr.trim(),
    address: host.address,
  });
}

const REFUSED = 85;

/** Comes with the same status 404 as an expired token (man-group/ArcticDB#3404, singnet/das#1287). */
const TOO_OLD = /runner version is out of date and can no longer register/i;

/** Registers with the token on standard input. The previous registration is dropped only after the new one exists. */
export async function registerRunner(host: Host, want: ActionsRunnerSettings): Promise<void> {
  const { url, name, labels, token, user, version } = want;
  const { address } = host;
  if (token === undefined) throw new Error('a runner registers only with a token');
  const script = ['/bin/sh', '-c', loadScript('register-runner'), 'register-runner'];
  const ran = await host.run(['sudo', '-n', '-H', '-u', user, ...script, DIRECTORY, url, name, labels.join(',')], {
    stdin: token,
    timeout: minutes(3),
  });
  if (ran.exitCode === 0) return;
  if (ran.exitCode !== REFUSED) throw runnerScriptError(host, { script: 'register-runner', ran, want });
  if (TOO_OLD.test(ran.stdout + ran.stderr)) throw HOST_RUNNER_VERSION_OUTDATED({ url, name, version, address });
  throw HOST_RUNNER_REGISTRATION_FAILED({ url, name, output: lastOutput(ran, want), address });
}

/** Last lines of the output without the secrets in `want`. */
const lastOutput = (ran: HostCommandResult, want: unknown): string => {
  const lines = `${ran.stdout}\n${ran.stderr}`.split('\n').filter(line => line.trim() !== '');
  return createRedactor(secretsIn(want)).redact(lines.slice(-3).join(' ').slice(-400));
};

/** Error for an exit code that the script does not define. */
export function runnerScriptError(
  host: Host,
  { script, ran, want }: { readonly script: string; readonly ran: HostCommandResult; readonly want: unknown },
): CataloguedError {
  const named = fileFailure({ path: DIRECTORY, address: host.address }, ran.stderr);
  const status = ran.exitCode === undefined ? 'a signal' : `exit code ${ran.exitCode}`;
  const output = lastOutput(ran, want) || 'no output';
  return named ?? HOST_COMMAND_FAILED({ command: script, address: host.address, status, output });
}
