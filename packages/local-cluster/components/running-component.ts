/** A component process that can be stopped, killed, paused and restarted with the same ports and data. */
import { copyFile, mkdir, open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readEnvironment } from '../environment.ts';
import { componentFailed } from '../errors.ts';
import { type StartedProcess, startProcess } from '../processes/start-process.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import { waitUntil } from '../wait-until.ts';
import { type ClusterPlan, type Component, type ComponentDefinition, commandLine } from './component.ts';

const READY_WITHIN = 90_000;
const STOPPED_WITHIN = 5_000;

type RunningComponentOptions = {
  definition: ComponentDefinition;
  binary: string;
  plan: ClusterPlan;
  watchdog: Watchdog;
};

export class RunningComponent {
  readonly name: Component;
  readonly logFile: string;
  readonly #options: RunningComponentOptions;
  #process: StartedProcess | undefined;

  constructor(options: RunningComponentOptions) {
    this.#options = options;
    this.name = options.definition.name;
    this.logFile = path.join(options.plan.directory, 'logs', `${this.name}.log`);
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.#process?.running ? this.#process.pid : undefined;
  }

  /** Starts the process and returns when it is ready. Throws with its last log lines when it exits or exceeds the deadline. */
  async start(): Promise<void> {
    const { definition, binary, plan, watchdog } = this.#options;
    if (this.#process?.running) return;
    const flags = { ...definition.flags(plan), ...plan.extraFlags[this.name] };
    this.#process = await startProcess({
      argv: [binary, ...commandLine(flags)],
      environment: environmentIn(plan.directory),
      directory: plan.directory,
      watchdog,
      output: { appendTo: this.logFile },
    });
    await this.#untilReady(this.#process);
  }

  /** Terminates the process, and kills it after a grace period. */
  async stop(): Promise<void> {
    const running = this.#process;
    if (!running?.running) return;
    running.signal('SIGTERM');
    // A paused process would never handle the signal.
    running.signal('SIGCONT');
    const ended = await waitUntil(async () => !running.running, { deadline: STOPPED_WITHIN, every: 10 });
    if (!ended) await this.kill();
  }

  /** Kills the process, as a crash would end it. */
  async kill(): Promise<void> {
    const running = this.#process;
    running?.signal('SIGKILL');
    await waitUntil(async () => !running?.running, { deadline: STOPPED_WITHIN, every: 10 });
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Pauses the process: connections stay open without a response, as on an overloaded machine. Returns when all its threads stopped. */
  async pause(): Promise<void> {
    const running = this.#process;
    if (!running?.running) return;
    running.signal('SIGSTOP');
    const rested = await waitUntil(() => frozen(running.pid), { deadline: STOPPED_WITHIN, every: 5 });
    if (!rested) throw await this.#failure(`is not paused after ${STOPPED_WITHIN / 1000} s`, undefined);
  }

  resume(): void {
    this.#process?.signal('SIGCONT');
  }

  async #untilReady(running: StartedProcess): Promise<void> {
    const { definition, plan } = this.#options;
    let lastError: unknown;
    const look = async () => {
      if (!running.running) throw await this.#failure(await ending(running), lastError);
      return definition.ready(plan).catch((error: unknown) => {
        lastError = error;
        return false;
      });
    };
    const ready = await waitUntil(look, { deadline: READY_WITHIN });
    if (!ready) throw await this.#failure(`is not ready after ${READY_WITHIN / 1000} s`, lastError);
  }

  async #failure(what: string, cause: unknown): Promise<Error> {
    const { failureDirectory } = this.#options.plan;
    const logFile = path.join(failureDirectory, `${this.name}.log`);
    await mkdir(failureDirectory, { recursive: true });
    await copyFile(this.logFile, logFile);
    return componentFailed({ component: this.name, what, lastLines: await lastLines(logFile), logFile }, cause);
  }
}

async function ending(running: StartedProcess): Promise<string> {
  const { code, signal } = await running.exited;
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

/**
 * Nothing else of the user's environment: a proxy variable would redirect requests of the API server. GOGC lets a caller
 * with much memory save processor time: garbage collection is a fifth of the API server's.
 */
function environmentIn(directory: string): Record<string, string> {
  const { GOGC } = readEnvironment().variables;
  return { PATH: '/usr/bin:/bin', HOME: directory, TMPDIR: directory, ...(GOGC === undefined ? {} : { GOGC }) };
}

/** Returns whether a stopped process is at rest: the signal returns at once, while its threads stop one after the other. */
async function frozen(pid: number): Promise<boolean> {
  const tasks = `/proc/${pid}/task`;
  // Without /proc (on a Mac) the state is unknown, so sending the signal must suffice.
  const threads = await readdir(tasks).catch(() => []);
  const states = await Promise.all(threads.map(thread => stateOf(path.join(tasks, thread, 'stat'))));
  return states.every(state => state === 'T' || state === 'gone');
}

// The command name is in parentheses before the state and may itself contain spaces and parentheses.
async function stateOf(stat: string): Promise<string> {
  const text = await readFile(stat, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[0] || 'gone';
}

const ENOUGH_BYTES = 16 * 1024;

/** Reads the end of a log without reading all of it. */
async function lastLines(file: string, count = 15): Promise<string> {
  const log = await open(file, 'r');
  try {
    const { size } = await log.stat();
    const length = Math.min(size, ENOUGH_BYTES);
    const { buffer } = await log.read({ buffer: Buffer.alloc(length), position: size - length });
    return buffer.toString().trimEnd().split('\n').slice(-count).join('\n');
  } finally {
    await log.close();
  }
}
