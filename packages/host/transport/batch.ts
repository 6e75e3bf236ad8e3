import { type Clock, type Duration, milliseconds } from '@minifleet/clock';
import { loadScript } from '../load-script.ts';
import { quoteArgv } from './ssh-transport.ts';
import type { Argv, CommandOutcome, CommandOutput, HostTransport } from './transport.ts';

interface PendingQuery {
  readonly argv: Argv;
  readonly deadline: Duration;
  readonly resolve: (outcome: CommandOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends read-only commands of the same turn of the event loop as one command. */
type SendQuery = (argv: Argv, deadline: Duration) => Promise<CommandOutcome>;

interface QueryBatchOptions {
  readonly transport: HostTransport;
  readonly clock: Clock;
  /** Returns an unguessable marker: no output may contain it. */
  readonly nonce: () => string;
  readonly signal?: AbortSignal | undefined;
}

// With more commands the first callers would wait too long.
const MOST_AT_ONCE = 250;

export function batchQueries(options: QueryBatchOptions): SendQuery {
  let waiting: PendingQuery[] = [];
  const flush = (): void => {
    const asked = waiting;
    waiting = [];
    for (let from = 0; from < asked.length; from += MOST_AT_ONCE) {
      const batch = asked.slice(from, from + MOST_AT_ONCE);
      runBatch(options, batch).then(
        ending => distributeResults(batch, ending, ask),
        error => {
          for (const { reject } of batch) reject(error);
        },
      );
    }
  };
  const ask = (asked: PendingQuery): void => {
    if (waiting.push(asked) === 1) setImmediate(flush);
  };
  return (argv, deadline) => new Promise((resolve, reject) => ask({ argv, deadline, resolve, reject }));
}

interface BatchOutcome extends CommandOutput {
  readonly mark: string;
  /** Undefined if a command timed out. */
  readonly outcome: CommandOutcome | undefined;
}

/**
 * Runs a batch. Each command has its own timeout, counted from the previous result: a long batch is not a slow command.
 */
async function runBatch(options: QueryBatchOptions, asked: readonly PendingQuery[]): Promise<BatchOutcome> {
  const { transport, clock, nonce, signal } = options;
  signal?.throwIfAborted();
  const mark = nonce();
  const lines = asked.map(({ argv }) => `look ${quoteArgv(argv)}\n`).join('');
  const stdin = Buffer.from(`mark=${mark}\n${loadScript('look')}answered 0\n${lines}`);
  const total = asked.reduce((sum, { deadline }) => sum + deadline, asked[0]?.deadline ?? 0);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const ended = countMarks(mark);
  const patience = new AbortController();
  const giveUp = (): void => patience.abort(signal?.reason);
  const wait = () => clock.after(asked[Math.max(0, ended.count - 1)]?.deadline ?? milliseconds(total), giveUp);
  let timer = wait();
  signal?.addEventListener('abort', giveUp, { once: true });
  const heard = () => ({ mark, stdout: Buffer.concat(out), stderr: Buffer.concat(err) });
  try {
    const outcome = await transport.run({
      argv: ['/bin/sh', '-s'],
      stdin,
      deadline: milliseconds(total),
      signal: patience.signal,
      onStderr: chunk => void err.push(chunk),
      onStdout(chunk) {
        out.push(chunk);
        if (!ended.saw(chunk)) return;
        timer.cancel();
        timer = wait();
      },
    });
    return { ...heard(), outcome: outcome.kind === 'timed out' ? undefined : outcome };
  } catch (error) {
    signal?.throwIfAborted();
    if (!patience.signal.aborted) throw error;
    return { ...heard(), outcome: undefined };
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', giveUp);
  }
}

function distributeResults(
  asked: readonly PendingQuery[],
  ending: BatchOutcome,
  again: (asked: PendingQuery) => void,
): void {
  const { begun, answers } = parseBatchOutput(ending, ending.mark);
  const { outcome, stdout, stderr } = ending;
  asked.forEach((one, index) => {
    const answer = answers[index];
    if (answer) one.resolve({ kind: 'ran', signal: undefined, ...answer });
    // The shell exited early: killed, or not a shell.
    else if (outcome) one.resolve(outcome.kind === 'ran' ? { ...outcome, exitCode: outcome.exitCode || 1 } : outcome);
    // Only the first command without a result was running at the timeout; later ones have not started.
    else if (begun && index > answers.length) again(one);
    else one.resolve({ kind: 'timed out', after: one.deadline, stdout, stderr });
  });
}

/** Extracts the results of many commands from the two output streams; see scripts/look.sh. */

interface QueryResult extends CommandOutput {
  readonly exitCode: number;
}

/** Output before the first marker belongs to no command: a login shell may print text. */
export function parseBatchOutput(
  { stdout, stderr }: CommandOutput,
  mark: string,
): { begun: boolean; answers: QueryResult[] } {
  const [greeting, ...outs] = split(stdout, `\n${mark} `);
  const [, ...errs] = split(stderr, `\n${mark}`);
  const answers = outs.flatMap(({ before, rest }, index) => {
    const exitCode = /^(\d+)\n/.exec(rest.subarray(0, 5).toString('latin1'))?.[1];
    if (exitCode === undefined) return [];
    return [{ stdout: before, stderr: errs[index]?.before ?? Buffer.alloc(0), exitCode: Number(exitCode) }];
  });
  return { begun: greeting !== undefined, answers };
}

/** Pieces that end with the marker, and what follows it. */
function split(bytes: Buffer, mark: string): { readonly before: Buffer; readonly rest: Buffer }[] {
  const pieces: { before: Buffer; rest: Buffer }[] = [];
  let from = 0;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, from)) {
    const rest = bytes.subarray(at + mark.length);
    pieces.push({ before: bytes.subarray(from, at), rest });
    from = at + mark.length + rest.indexOf('\n') + 1;
  }
  return pieces;
}

/** Counts markers as they arrive, also across chunks. */
export function countMarks(mark: string): { readonly count: number; saw(chunk: Buffer): boolean } {
  let tail = Buffer.alloc(0);
  let count = 0;
  return {
    get count() {
      return count;
    },
    saw(chunk) {
      const bytes = Buffer.concat([tail, chunk]);
      const before = count;
      let from = 0;
      for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, from)) {
        count += 1;
        from = at + mark.length;
      }
      tail = bytes.subarray(Math.max(from, bytes.length - mark.length + 1));
      return count > before;
    },
  };
}
