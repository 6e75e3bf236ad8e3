/** Renders lines of a CRI log for the client. Hot path of `kubectl logs`, so bytes are not decoded. */
import type { ContainerLogOptions, RequestedStream } from './log-options.ts';

interface LogRenderer {
  /** Renders the next bytes of the log; an incomplete line at their end waits for the rest. */
  render(chunk: Buffer): Buffer;
  /** The byte limit is reached: no more output. */
  readonly full: boolean;
}

const NEWLINE = 0x0a;
const SPACE = 0x20;
const PARTIAL = 0x50;
const LETTER = { o: 0x6f, e: 0x65 } as const;
/** The supervisor splits lines long before this; a longer one is corrupt and dropped. */
const MAX_LINE = 1024 * 1024;

export function createRenderer(
  options: Pick<ContainerLogOptions, 'timestamps' | 'since' | 'stream' | 'limitBytes'>,
): LogRenderer {
  const isEarly = before(options.since);
  const letter = letterOf(options.stream);
  let rest: Buffer = Buffer.alloc(0);
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  let continues = false;

  /**
   * Copies the visible part of `<time> stdout F <text>` (from `start` to its newline at `end`) to `out` and returns the
   * new end.
   */
  function renderLine(
    from: Buffer,
    [start, end]: readonly [number, number],
    [out, at]: readonly [Buffer, number],
  ): number {
    const timeEnd = from.indexOf(SPACE, start);
    const text = from.indexOf(SPACE, timeEnd + 8) + 1;
    // Skips lines that are not valid CRI, such as a torn line after a power cut.
    if (timeEnd < 0 || timeEnd >= end || text <= 0 || text > end || from[timeEnd + 7] !== SPACE) return at;
    if (letter !== undefined && from[timeEnd + 4] !== letter) return at;
    if (isEarly(from, start, timeEnd)) return at;
    let size = at;
    // A long line is stored in parts: only the first shows its time, only the last its newline.
    if (options.timestamps && !continues) size += from.copy(out, size, start, timeEnd + 1);
    continues = from[timeEnd + 8] === PARTIAL;
    return size + from.copy(out, size, text, continues ? end : end + 1);
  }

  return {
    get full() {
      return left <= 0;
    },
    render(chunk) {
      const input = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      // The output of a line is never longer than the line.
      const out = Buffer.allocUnsafe(input.length);
      let [start, size] = [0, 0];
      for (let end = input.indexOf(NEWLINE); end >= 0; end = input.indexOf(NEWLINE, start)) {
        size = renderLine(input, [start, end], [out, size]);
        start = end + 1;
      }
      rest = input.length - start > MAX_LINE ? Buffer.alloc(0) : Buffer.from(input.subarray(start));
      const shown = out.subarray(0, Math.min(size, left));
      left -= shown.length;
      return shown;
    },
  };
}

/** `stdout` and `stderr` differ in their fourth letter. */
function letterOf(stream: RequestedStream): number | undefined {
  if (stream === 'all') return undefined;
  return stream === 'stdout' ? LETTER.o : LETTER.e;
}

type IsEarly = (from: Buffer, start: number, end: number) => boolean;

/**
 * UTC times are compared as text, to the second; only a line of that very second, or in another time zone, is parsed.
 */
function before(since: number | undefined): IsEarly {
  if (since === undefined) return () => false;
  const second = Buffer.from(new Date(since).toISOString().slice(0, 19));
  const UTC = 0x5a;
  return (from, start, end) => {
    const order = from[end - 1] === UTC ? from.compare(second, 0, 19, start, start + 19) : 0;
    return order === 0 ? Date.parse(from.toString('latin1', start, end)) < since : order < 0;
  };
}
