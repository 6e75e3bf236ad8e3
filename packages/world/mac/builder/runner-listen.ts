import { pause, seconds } from '@minifleet/clock';
import { CONNECTED, connectError, listening, reconnected } from '../../actions-runner/listener.ts';
import { type StepContext, stepVariables, workspaceOf } from '../../github/jobs/job.ts';
import { FileError } from '../files/file-system.ts';
import type { Program, Run } from '../mac.ts';
import { inputOf, type OutputStream } from '../processes/pipe.ts';
import { processesOf } from '../processes/process-table.ts';
import { findExecutable, runProgram } from '../processes/run-program.ts';
import { loginEnvironment } from '../shell/execute.ts';
import { builderOf, type OnlineRunner } from './image-builder.ts';
import { readRunner, refusesRoot } from './runner-state.ts';

/** Delay before the listener tries GitHub again. */
const RETRY = seconds(30);

/** Simulates run.sh: the runner is online at GitHub until the process ends. */
export const listen =
  (version: string): Program =>
  run =>
    refusesRoot(run) ? 1 : listener(run, version);

/**
 * Simulates runsvc.sh: the listener as a service. It prints the PATH from `.path`. It exits with 0 when the listener
 * reports that a retry is useless (runner's source).
 */
export const serve =
  (version: string): Program =>
  async run => {
    if (refusesRoot(run)) return 1;
    const path = readPath(run);
    if (path !== undefined) run.out(`.path=${path}\n`);
    const processes = processesOf(run.mac);
    const argv = [`${run.directory}/bin/Runner.Listener`, 'run', '--startuptype', 'service'];
    const { pid } = processes.start({ argv, user: run.user, session: run.session });
    run.out('Starting Runner listener with startup type: service\n');
    run.out(`Started listener process, pid: ${pid}\nStarted running service\n`);
    // Both streams of the listener go to the service's output.
    const environment = { ...run.environment, ...(path !== undefined && { PATH: path }) };
    const code = await listener({ ...run, err: run.out, environment }, version);
    processes.end(pid, { code });
    run.out(`Runner listener exited with error code ${code}\n`);
    const why = code === 0 ? '0 return code' : 'terminated error';
    run.out(`Runner listener exit with ${why}, stop the service, no retry needed.\n`);
    return 0;
  };

function readPath(run: Run): string | undefined {
  const path = `${run.directory}/.path`;
  return run.mac.files.exists(run.user, path) ? run.mac.files.read(run.user, path).toString().trim() : undefined;
}

async function listener(run: Run, version: string): Promise<number> {
  const state = readRunner(run);
  if (!state) {
    run.err('Not configured. Run config.(sh/cmd) to configure the runner.\n');
    return 1;
  }
  if (!run.mac.files.exists(run.user, `${run.directory}/.credentials`)) {
    run.err('An error occurred: Credentials not stored.  Must reconfigure.\n');
    return 1;
  }
  const { mac, directory, user, session, environment } = run;
  const runner: OnlineRunner = {
    ...{ mac, directory, user, session, environment },
    ...{ id: state.agentId, name: state.agentName, url: state.gitHubUrl, workFolder: state.workFolder },
    say: line => run.out(`${line}\n`),
  };
  const { forge } = builderOf(mac);
  await pause(mac.around.clock, seconds(1), run.signal);
  if (!(await connected(run, runner))) return run.signal.aborted ? 0 : 1;
  runner.say(listening(mac.around.clock.now(), version));
  forge?.online(runner);
  await new Promise<void>(resolve => run.signal.addEventListener('abort', () => resolve(), { once: true }));
  forge?.offline(runner);
  return 0;
}

/** Prints only the first failure and keeps retrying. Returns false when the registration is deleted. */
async function connected(run: Run, runner: OnlineRunner): Promise<boolean> {
  const { forge } = builderOf(run.mac);
  for (let failures = 0; !run.signal.aborted; failures++) {
    const answer = forge?.connect?.(runner) ?? 'connected';
    if (answer === 'deleted') {
      run.err(
        'Failed to create a session. The runner registration has been deleted from the server, please re-configure.\n',
      );
      return false;
    }
    if (answer === 'connected') {
      runner.say(CONNECTED);
      if (failures > 0) runner.say(reconnected(run.mac.around.clock.now()));
      return true;
    }
    if (failures === 0) run.err(`${connectError(run.mac.around.clock.now(), answer.unreachable)}\n`);
    await pause(run.mac.around.clock, RETRY, run.signal);
  }
  return false;
}

interface ScriptStep {
  readonly script: string;
  readonly job: Pick<StepContext, 'repository' | 'runId' | 'job'>;
  onOutput(text: string): void;
  readonly signal: AbortSignal;
}

/**
 * Runs a step as `Runner.Worker` does on a Mac: a file below `_temp`, `bash -e`, in the listener's session. Returns its
 * exit code.
 */
export async function runStep(where: OnlineRunner, step: ScriptStep): Promise<number> {
  const { mac, user, session } = where;
  const work = `${where.directory}/${where.workFolder}`;
  const temp = `${work}/_temp`;
  const workspace = workspaceOf(work, step.job.repository);
  const file = `${temp}/${mac.around.chance.uuid()}.sh`;
  try {
    for (const folder of [temp, workspace]) mac.files.makeDirectory(user, folder, { parents: true });
    mac.files.write(user, file, step.script);
  } catch (error) {
    // The disk is full or the folder was removed. The job fails.
    if (!(error instanceof FileError)) throw error;
    step.onOutput(`${error.message}\n`);
    return 1;
  }
  const output: OutputStream = { write: text => step.onOutput(String(text)) };
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

/** Reads `.env` in the runner's directory: one variable per line. */
function ownVariables({ mac, user, directory }: OnlineRunner): Record<string, string> {
  const path = `${directory}/.env`;
  if (!mac.files.exists(user, path)) return {};
  const lines = mac.files.read(user, path).toString().split('\n');
  return Object.fromEntries(
    lines.flatMap(line => [...line.matchAll(/^([^=]+)=(.*)$/g)].map(([, name, value]) => [name, value])),
  );
}
