import type { Duration } from '@minifleet/clock';
import { loadScript } from '../load-script.ts';
import { quoteArgv } from './quote.ts';
import type { Argv, Outcome, Output, Transport } from './transport.ts';

interface Asked {
  readonly argv: Argv;
  readonly deadline: Duration;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends read-only commands that are asked for in the same turn of the event loop as one command. */
export type LookTogether = (argv: Argv, deadline: Duration) => Promise<Outcome>;

// Beyond this the answers of one command would keep the first askers waiting.
const MOST_AT_ONCE = 250;

/** `nonce` gives an unguessable word: no output may look like the end of itself. */
export function lookTogether(transport: Transport, nonce: () => string): LookTogether {
  let waiting: Asked[] = [];
  const flush = (): void => {
    const asked = waiting;
    waiting = [];
    for (let from = 0; from < asked.length; from += MOST_AT_ONCE) send(asked.slice(from, from + MOST_AT_ONCE));
  };
  const ask = (asked: Asked): void => {
    if (waiting.push(asked) === 1) setImmediate(flush);
  };
  const send = (asked: readonly Asked[]): void => {
    const mark = nonce();
    const lines = asked.map(({ argv }) => `look ${quoteArgv(argv)}\n`).join('');
    const deadline = asked.reduce(
      (longest, one) => (one.deadline > longest ? one.deadline : longest),
      asked[0]?.deadline as Duration,
    );
    transport
      .run({ argv: ['/bin/sh', '-s'], stdin: Buffer.from(`mark=${mark}\n${loadScript('look')}${lines}`), deadline })
      .then(
        outcome => share(asked, { outcome, mark, again: ask }),
        (error: unknown) => {
          for (const { reject } of asked) reject(error);
        },
      );
  };
  return (argv, deadline) => new Promise((resolve, reject) => ask({ argv, deadline, resolve, reject }));
}

interface Shared {
  readonly outcome: Outcome;
  readonly mark: string;
  readonly again: (asked: Asked) => void;
}

function share(asked: readonly Asked[], { outcome, mark, again }: Shared): void {
  const answers = answersIn(outcome, mark);
  asked.forEach((one, index) => {
    const answer = answers[index];
    if (answer) one.resolve({ kind: 'ran', signal: undefined, ...answer });
    // Only the first without an answer was running when time ran out; those behind it have not begun.
    else if (outcome.kind === 'timed out' && index > answers.length) again(one);
    // The shell itself ended early: killed, or not a shell at all.
    else one.resolve(outcome.kind === 'ran' ? { ...outcome, exitCode: outcome.exitCode || 1 } : outcome);
  });
}

function answersIn({ stdout, stderr }: Output, mark: string): (Output & { readonly exitCode: number })[] {
  const outs = split(stdout, `\n${mark} `);
  const errs = split(stderr, `\n${mark}`);
  return outs.flatMap(({ before, rest }, index) => {
    const exitCode = /^(\d+)\n/.exec(rest.subarray(0, 5).toString('latin1'))?.[1];
    if (exitCode === undefined) return [];
    return [{ stdout: before, stderr: errs[index]?.before ?? Buffer.alloc(0), exitCode: Number(exitCode) }];
  });
}

/** Each piece that ends with the mark, and what follows that mark. */
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
