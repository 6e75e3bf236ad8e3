import { PassThrough } from 'node:stream';
import { type Clock, pause } from '@minifleet/clock';
import type { ExecOptions, ExecSession } from '../guest.ts';
import type { SyntheticCommand, SyntheticRun } from './synthetic-run.ts';

/** A command in a synthetic guest: as the run scripts it, or an echo. */
export function synthesizeExec(run: SyntheticRun, options: ExecOptions, clock: Clock): ExecSession {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const closed = new AbortController();
  const ended = async (): Promise<number> => {
    if (!run.exec && options.stdin) return echo(stdin, stdout);
    const command = (await run.exec?.(options)) ?? { output: `${options.argv.join(' ')}\n` };
    return play(command);
  };
  const play = async ({ after, output = '', exitCode = 0 }: SyntheticCommand): Promise<number> => {
    if (after) await pause(clock, after, closed.signal);
    if (closed.signal.aborted) throw new Error('the session was closed');
    stdout.end(output);
    stderr.end();
    return exitCode;
  };
  const exited = ended();
  exited.catch(() => undefined);
  return { stdin, stdout, stderr, exited, resize: () => undefined, close: () => closed.abort() };
}

async function echo(stdin: PassThrough, stdout: PassThrough): Promise<number> {
  stdin.pipe(stdout);
  await new Promise(resolve => stdin.once('end', resolve));
  return 0;
}
