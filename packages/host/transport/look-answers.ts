/** Takes the answers of many commands out of the two streams they came back on; see scripts/look.sh. */
import type { Output } from './transport.ts';

export interface Answer extends Output {
  readonly exitCode: number;
}

/** What came before the first mark is nobody's answer: a chatty login shell, or nothing. */
export function answersIn({ stdout, stderr }: Output, mark: string): { begun: boolean; answers: Answer[] } {
  const [greeting, ...outs] = split(stdout, `\n${mark} `);
  const [, ...errs] = split(stderr, `\n${mark}`);
  const answers = outs.flatMap(({ before, rest }, index) => {
    const exitCode = /^(\d+)\n/.exec(rest.subarray(0, 5).toString('latin1'))?.[1];
    if (exitCode === undefined) return [];
    return [{ stdout: before, stderr: errs[index]?.before ?? Buffer.alloc(0), exitCode: Number(exitCode) }];
  });
  return { begun: greeting !== undefined, answers };
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

/** Counts marks as they arrive, also those that arrive in two chunks. */
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
