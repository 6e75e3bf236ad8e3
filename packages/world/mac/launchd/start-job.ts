import { milliseconds, pause, seconds } from '@minifleet/clock';
import type { Fault } from '../../faults/fault-plan.ts';
import { cdhashOf, isBinary } from '../code-signing/mach-o.ts';
import { type Mac, type Program, root } from '../mac.ts';
import { inputOf } from '../processes/pipe.ts';
import { type ExitReason, type Process, type ProcessOptions, processesOf } from '../processes/process-table.ts';
import { DEFAULT_PATH, findExecutable, type ProgramLookup, runProgram } from '../processes/run-program.ts';
import { type JobOutput, type JobProgram, type JobStart, jobProgramsOf, openOutput } from './job-program.ts';
import { findJob, type LaunchdJob, launchdOf, NOBODY } from './launchd.ts';

/** EX_CONFIG: launchd could not start the program. */
const NOTHING_TO_START: ExitReason = { code: 78 };
/** A process that the kernel kills at its first page has a pid for a short time (S2). */
const FIRST_PAGE = milliseconds(100);

/** Starts the job's program if it is not running, and handles its exit. */
export function startJob(mac: Mac, job: LaunchdJob): void {
  job.scheduled?.cancel();
  job.scheduled = undefined;
  if (job.process || !current(mac, job)) return;
  const fault = struck(mac, job);
  if (fault?.type === 'delay') {
    job.scheduled = mac.around.clock.after(fault.by, () => startNow(mac, job, undefined));
    return;
  }
  startNow(mac, job, fault);
}

/** `delay`: starts later. `fail`: exits immediately with the code. `hang`: runs without doing anything. */
const struck = (mac: Mac, { definition }: LaunchdJob): Fault | undefined =>
  mac.around.faults.strike({
    place: `mac/${mac.options.name}`,
    kind: 'process',
    detail: `launchd ${definition.label}`,
  });

function startNow(mac: Mac, job: LaunchdJob, fault: Fault | undefined): void {
  job.scheduled = undefined;
  if (job.process || !current(mac, job)) return;
  job.runs += 1;
  job.startedAt = mac.around.clock.now();
  const options = prepare(mac, job, fault);
  if (!options) {
    ended(mac, job, NOTHING_TO_START);
    return;
  }
  const process = processesOf(mac).start(options.process);
  job.process = process;
  void process.exited.then(reason => {
    options.output.close();
    job.process = undefined;
    ended(mac, job, reason);
  });
}

/** False for a job that is being booted out or that is from before the last reboot. */
const current = (mac: Mac, job: LaunchdJob): boolean =>
  mac.running && !job.leaving && findJob(mac, job.domain, job.definition.label) === job;

interface PreparedJob {
  readonly process: ProcessOptions;
  readonly output: JobOutput;
}

function prepare(mac: Mac, job: LaunchdJob, fault: Fault | undefined): PreparedJob | undefined {
  const { definition, user } = job;
  const environment = environmentOf(job);
  const directory = definition.workingDirectory ?? '/';
  if (user === NOBODY || !mac.files.exists(user, directory)) return undefined;
  const known = jobProgramsOf(mac).get(definition.program);
  const argv = [definition.program, ...definition.arguments.slice(1)];
  const found = known?.builtIn ? undefined : findProgram(mac, job, { argv, user, directory, environment });
  const body = faulty(fault) ?? bodyOf(known, found);
  const output = body && openOutput(mac, job);
  if (!body || !output) return undefined;
  const start: JobStart = {
    mac,
    label: definition.label,
    argv: definition.arguments,
    environment,
    user,
    directory,
    ...output,
  };
  const session = job.domain.startsWith('gui/') ? 'aqua' : 'launchd';
  return { output, process: { argv: definition.arguments, user, session, ...body(start) } };
}

function findProgram(mac: Mac, job: LaunchdJob, request: Parameters<typeof findExecutable>[1]): ProgramLookup {
  const found = findExecutable(mac, request);
  const held = !('killed' in found) && violatesConstraint(mac, job);
  return held ? { killed: { reason: 'OS_REASON_CODESIGNING' } } : found;
}

function faulty(fault: Fault | undefined): BodyFactory | undefined {
  if (fault?.type === 'hang') return () => ({});
  return fault?.type === 'fail' ? () => ({ body: () => Promise.resolve(fault.code) }) : undefined;
}

type BodyFactory = (start: JobStart) => Pick<ProcessOptions, 'body' | 'child' | 'onSignal'>;

/** Behaviour of the process; undefined if there is no program to start. */
function bodyOf(known: JobProgram | undefined, found: ProgramLookup | undefined): BodyFactory | undefined {
  if (found && 'killed' in found)
    return start => ({ body: process => killedAtFirstPage(start, process, found.killed) });
  if (found && 'failure' in found && !(found.failure === 'exec format error')) return undefined;
  if (known) return start => jobProgramBody(known, start);
  // A binary without a registered behaviour runs until it is signalled.
  return found && 'program' in found ? start => ({ body: process => runFound(found, start, process) }) : () => ({});
}

function jobProgramBody(known: JobProgram, start: JobStart): ReturnType<BodyFactory> {
  const { body, onSignal } = known;
  return {
    ...(known.spawn ? { child: known.spawn(start) } : {}),
    ...(body ? { body: (process: Process) => body(start, process) } : {}),
    ...(onSignal ? { onSignal } : {}),
  };
}

async function killedAtFirstPage(start: JobStart, process: Process, reason: ExitReason): Promise<number> {
  await pause(start.mac.around.clock, FIRST_PAGE, process.signal);
  processesOf(start.mac).end(process.pid, reason);
  return 137;
}

function runFound(
  found: { readonly program: Program; readonly argv: readonly string[] },
  start: JobStart,
  process: Process,
): Promise<number> {
  const { mac, user, directory, environment } = start;
  const stdio = {
    stdin: inputOf(''),
    out: { write: (text: string | Buffer) => start.out(text) },
    err: { write: (text: string | Buffer) => start.err(text) },
  };
  const given = { argv: found.argv, user, directory, environment, session: process.session, signal: process.signal };
  return runProgram(mac, found, { ...given, ...stdio });
}

const environmentOf = ({ definition, user }: LaunchdJob): Readonly<Record<string, string>> => ({
  PATH: DEFAULT_PATH,
  XPC_SERVICE_NAME: definition.label,
  ...(user.uid === 0 ? {} : { HOME: user.home, USER: user.name, LOGNAME: user.name }),
  ...definition.environment,
});

/** Decides whether an exited job is started again. */
function ended(mac: Mac, job: LaunchdJob, reason: ExitReason): void {
  job.lastExit = reason;
  if (!current(mac, job) || !wantsRespawn(job, reason)) return;
  if (respawnForgotten(mac, job)) {
    mac.around.journal.add(`mac/${mac.options.name}`, 'respawn not honoured', job.definition.label);
    return;
  }
  const { clock } = mac.around;
  const wait = job.startedAt + job.definition.throttleInterval * 1_000 - clock.now();
  job.scheduled = clock.after(milliseconds(Math.max(0, wait)), () => startJob(mac, job));
}

/** A console job that exited by SIGHUP stays down until a user kickstarts it (I08; S0). */
const CONSOLE_JOBS = new Set(['com.apple.loginwindow']);

function wantsRespawn({ definition }: LaunchdJob, reason: ExitReason): boolean {
  if (CONSOLE_JOBS.has(definition.label)) return !('signal' in reason && reason.signal === 'SIGHUP');
  if (typeof definition.keepAlive === 'boolean') return definition.keepAlive;
  const { successfulExit } = definition.keepAlive;
  return successfulExit === undefined || successfulExit === ('code' in reason && reason.code === 0);
}

/** Past the cap on registrations, macOS no longer respawns the job; kickstart still starts it (I17; S2). */
const respawnForgotten = (mac: Mac, { definition }: Pick<LaunchdJob, 'definition'>): boolean => {
  const { registrations, settings } = launchdOf(mac);
  return (registrations.get(definition.label) ?? 0) > settings.registrationCap;
};

/** StartInterval: starts the job periodically unless it still runs. */
export function startInterval(mac: Mac, job: LaunchdJob): void {
  const every = job.definition.startInterval;
  if (every === undefined) return;
  job.interval = mac.around.clock.after(seconds(every), () => {
    startJob(mac, job);
    startInterval(mac, job);
  });
}

export function cancelTimers(job: LaunchdJob): void {
  job.scheduled?.cancel();
  job.interval?.cancel();
  job.scheduled = undefined;
  job.interval = undefined;
}

/**
 * macOS may pin a daemon to the code it ran before: the first start of another ad-hoc signed build is then killed with
 * `OS_REASON_CODESIGNING`, and later starts are pinned to the new build. Bootstrapping a daemon again removes the pin.
 * Public reports describe this for macOS 26 (default: off, see `settings.pinsPrograms`).
 */
function violatesConstraint(mac: Mac, { definition }: LaunchdJob): boolean {
  const { settings, pinned } = launchdOf(mac);
  const hash = settings.pinsPrograms ? hashOf(mac, definition.program) : undefined;
  if (hash === undefined) return false;
  const before = pinned.get(definition.label);
  pinned.set(definition.label, hash);
  return before !== undefined && before !== hash;
}

/** Scripts and parts of the system are never pinned here. */
function hashOf(mac: Mac, program: string): string | undefined {
  if (!mac.files.exists(root, program)) return undefined;
  const content = mac.files.read(root, program);
  return isBinary(content) ? cdhashOf(content) : undefined;
}
