import { type StepPlace, stepVariables, workspaceOf } from '../../github/jobs/step-variables.ts';
import { FileError } from '../files/file-system.ts';
import { inputOf, type Output } from '../processes/pipe.ts';
import { processesOf } from '../processes/process-table.ts';
import { findExecutable, runProgram } from '../processes/run-program.ts';
import { loginEnvironment } from '../shell/execute.ts';
import type { RunnerOnline } from './builder.ts';

export interface Step {
  readonly script: string;
  readonly job: Pick<StepPlace, 'repository' | 'runId' | 'job'>;
  onOutput(text: string): void;
  readonly signal: AbortSignal;
}

/** What `Runner.Worker` does with a step on a Mac: a file below `_temp`, `bash -e`, in the listener's session. Its exit code. */
export async function runStep(where: RunnerOnline, step: Step): Promise<number> {
  const { mac, user, session } = where;
  const work = `${where.directory}/${where.workFolder}`;
  const temp = `${work}/_temp`;
  const workspace = workspaceOf(work, step.job.repository);
  const file = `${temp}/${mac.around.chance.uuid()}.sh`;
  try {
    for (const folder of [temp, workspace]) mac.files.makeDirectory(user, folder, { parents: true });
    mac.files.write(user, file, step.script);
  } catch (error) {
    // The disk is full, or someone has taken the folder away: a job that fails.
    if (!(error instanceof FileError)) throw error;
    step.onOutput(`${error.message}\n`);
    return 1;
  }
  const output: Output = { write: text => step.onOutput(String(text)) };
  const request = {
    ...{ argv: ['/bin/bash', '-e', file], user, session, directory: workspace },
    ...{ stdin: inputOf(''), out: output, err: output },
    environment: {
      ...loginEnvironment(user),
      ...where.environment,
      ...ownVariables(where),
      ...stepVariables({ ...step.job, runner: where.name, workspace, temp }),
    },
  };
  const found = findExecutable(mac, request);
  if (!('program' in found)) return 127;
  const worker = processesOf(mac).start({
    argv: [`${where.directory}/bin/Runner.Worker`, 'spawnclient'],
    ...{ user, session },
    body: ({ signal }) => runProgram(mac, found, { ...request, signal: AbortSignal.any([signal, step.signal]) }),
  });
  const end = await worker.exited;
  return 'code' in end ? end.code : 137;
}

/** `.env` beside the runner: a variable a line. */
function ownVariables({ mac, user, directory }: RunnerOnline): Record<string, string> {
  const path = `${directory}/.env`;
  if (!mac.files.exists(user, path)) return {};
  const lines = mac.files.read(user, path).toString().split('\n');
  return Object.fromEntries(
    lines.flatMap(line => [...line.matchAll(/^([^=]+)=(.*)$/g)].map(([, name, value]) => [name, value])),
  );
}
