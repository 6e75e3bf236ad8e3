import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { CallMessage, Calls, ChildMessage } from './message.ts';
import { sharedClock } from './shared-clock.ts';

/** A child process that serves calls. It ends with this process, even after a SIGKILL. */
export interface Child<C extends Calls<C>> {
  ask<Name extends keyof C & string>(name: Name, ...argument: Parameters<C[Name]>): ReturnType<C[Name]>;
  stop(): Promise<void>;
}

export interface ChildOptions {
  readonly file: URL;
  readonly argv?: readonly string[];
  readonly nodeFlags?: readonly string[];
  /** Milliseconds; longer than any single call. */
  readonly answerWithin?: number;
}

// Time limit, so that a hanging benchmark ends.
const ANSWER_WITHIN = 90_000;

export async function startChild<C extends Calls<C>>(options: ChildOptions): Promise<Child<C>> {
  const { file, argv = [], nodeFlags = [], answerWithin = ANSWER_WITHIN } = options;
  const startedAt = sharedClock();
  const process = fork(file, [...argv], {
    execArgv: [...nodeFlags],
    serialization: 'advanced',
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const questions = openQuestions(process, answerWithin);
  checkClock(await questions.ready, startedAt);
  return {
    ask: (name, ...argument) => questions.ask(name, argument) as never,
    async stop() {
      if (process.exitCode !== null || process.signalCode !== null) return;
      const exited = once(process, 'exit');
      process.disconnect();
      await exited;
    },
  };
}

function openQuestions(process: ChildProcess, answerWithin: number) {
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  const ready = Promise.withResolvers<number>();
  let asked = 0;
  process.on('message', (message: ChildMessage) => {
    if (message.type === 'ready') return ready.resolve(message.clock);
    const question = open.get(message.id);
    open.delete(message.id);
    if (message.type === 'value') question?.resolve(message.value);
    else question?.reject(new Error(message.text));
  });
  process.once('exit', code => {
    const ended = new Error(`a process of the benchmark ended with code ${code}: ${process.spawnargs.join(' ')}`);
    for (const question of [ready, ...open.values()]) question.reject(ended);
  });
  return {
    ready: ready.promise,
    async ask(name: string, argument: readonly unknown[]): Promise<unknown> {
      const question = Promise.withResolvers<unknown>();
      const id = ++asked;
      open.set(id, question);
      const late = () => question.reject(new Error(`no answer to "${name}" within ${answerWithin} ms`));
      const deadline = setTimeout(late, answerWithin);
      process.send({ id, name, argument } satisfies CallMessage);
      return question.promise.finally(() => clearTimeout(deadline));
    },
  };
}

/** Latencies between processes mean nothing unless both read the same clock. */
function checkClock(childClock: number, startedAt: number): void {
  if (childClock >= startedAt && childClock <= sharedClock()) return;
  throw new Error('processes of this machine do not share a monotonic clock; latencies between them mean nothing');
}
