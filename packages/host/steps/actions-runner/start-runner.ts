import { createHash } from 'node:crypto';
import { minutes } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import { HOST_UPLOAD_INCOMPLETE } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { ActionsRunner } from './actions-runner.ts';
import { HOST_RUNNER_BUSY, HOST_RUNNER_NEEDS_SESSION, HOST_RUNNER_STUCK } from './errors.ts';
import { agentLabel, agentPath, DIRECTORY, JOB_PATH, renderAgent } from './runner-place.ts';
import { failure } from './script-failure.ts';

/** Writes what the job needs, and starts it anew. Returns what had to be removed. */
export async function startRunner(host: Host, want: ActionsRunner, how: 'gently' | 'anyway'): Promise<string[]> {
  const { user } = want;
  const label = agentLabel(want);
  const agent = renderAgent(user, label);
  const sha256 = createHash('sha256').update(agent).digest('hex');
  const args = [DIRECTORY, user, label, JOB_PATH, sha256, how];
  const ran = await host.script('start-runner', args, { stdin: agent, timeout: minutes(4) });
  if (ran.exitCode === 0) return ran.stdout.split('\n').filter(line => line.startsWith('removed '));
  throw named(ran.exitCode ?? 0, { host, want, label }) ?? failure(host, { script: 'start-runner', ran, want });
}

interface Started {
  readonly host: Host;
  readonly want: ActionsRunner;
  readonly label: string;
}

function named(exitCode: number, { host, want, label }: Started): CataloguedError | undefined {
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
