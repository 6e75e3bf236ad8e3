/** One component as a process that can be stopped, killed, paused and started again on the same ports and data. */
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { componentFailed } from '../errors.ts';
import { frozen } from '../processes/frozen.ts';
import { lastLines } from '../processes/last-lines.ts';
import { type StartedProcess, startProcess } from '../processes/start-process.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import { waitUntil } from '../wait-until.ts';
import { type ClusterPlan, type Component, type ComponentDefinition, commandLine } from './component.ts';

const READY_WITHIN = 90_000;
const STOPPED_WITHIN = 5_000;

export type RunningComponentOptions = {
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

  /** Starts the process and returns when it is ready; throws its last log lines when it dies or is late. */
  async start(): Promise<void> {
    const { definition, binary, plan, watchdog } = this.#options;
    if (this.#process?.running) return;
    const flags = { ...definition.flags(plan), ...plan.extraFlags[this.name] };
    this.#process = await startProcess({
      argv: [binary, ...commandLine(flags)],
      // Nothing of the user's environment: a proxy variable would send the API server's calls to hosts elsewhere.
      environment: { PATH: '/usr/bin:/bin', HOME: plan.directory, TMPDIR: plan.directory },
      directory: plan.directory,
      watchdog,
      output: { appendTo: this.logFile },
    });
    await this.#untilReady(this.#process);
  }

  /** Asks it to end, waits a while, then ends it. */
  async stop(): Promise<void> {
    const running = this.#process;
    if (!running?.running) return;
    running.signal('SIGTERM');
    // A paused process would never hear it.
    running.signal('SIGCONT');
    const ended = await waitUntil(async () => !running.running, { deadline: STOPPED_WITHIN, every: 10 });
    if (!ended) await this.kill();
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    const running = this.#process;
    running?.signal('SIGKILL');
    await waitUntil(async () => !running?.running, { deadline: STOPPED_WITHIN, every: 10 });
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Freezes it: connections stay open and nothing answers, as on a machine in trouble. Returns when it has come to rest. */
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
