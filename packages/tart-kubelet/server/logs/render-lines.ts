/** From the lines of a CRI log file to what a person asked to see: the hot path of `kubectl logs`, so bytes stay bytes. */
import type { LogOptions, LogStream } from './log-options.ts';

interface Renderer {
  /** What is to be shown of the next bytes of the log; a line cut off at their end waits for the rest. */
  render(chunk: Buffer): Buffer;
  /** The limit of bytes is reached: nothing more will be shown. */
  readonly full: boolean;
}

const NEWLINE = 0x0a;
const SPACE = 0x20;
const PARTIAL = 0x50;
const LETTER = { o: 0x6f, e: 0x65 } as const;
/** The supervisor cuts lines long before this; a longer one is no line of ours and is dropped. */
const MOST_LINE = 1024 * 1024;

export function createRenderer(options: Pick<LogOptions, 'timestamps' | 'since' | 'stream' | 'limitBytes'>): Renderer {
  const isEarly = before(options.since);
  const letter = letterOf(options.stream);
  let rest: Buffer = Buffer.alloc(0);
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  let continues = false;

  /** `<time> stdout F <text>` from `start` to its newline at `end`: copies what is shown to `out`, and says where that ends. */
  function renderLine(
    from: Buffer,
    [start, end]: readonly [number, number],
    [out, at]: readonly [Buffer, number],
  ): number {
    const timeEnd = from.indexOf(SPACE, start);
    const text = from.indexOf(SPACE, timeEnd + 8) + 1;
    // What does not read as a line of a CRI log is not shown: half a line after a power cut, for one.
    if (timeEnd < 0 || timeEnd >= end || text <= 0 || text > end || from[timeEnd + 7] !== SPACE) return at;
    if (letter !== undefined && from[timeEnd + 4] !== letter) return at;
    if (isEarly(from, start, timeEnd)) return at;
    let size = at;
    // A long line is kept in parts: only the first has its time shown, only the last its newline.
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
      // What is shown of a line is never longer than the line.
      const out = Buffer.allocUnsafe(input.length);
      let [start, size] = [0, 0];
      for (let end = input.indexOf(NEWLINE); end >= 0; end = input.indexOf(NEWLINE, start)) {
        size = renderLine(input, [start, end], [out, size]);
        start = end + 1;
      }
      rest = input.length - start > MOST_LINE ? Buffer.alloc(0) : Buffer.from(input.subarray(start));
      const shown = out.subarray(0, Math.min(size, left));
      left -= shown.length;
      return shown;
    },
  };
}

/** `stdout` and `stderr` differ in their fourth letter. */
function letterOf(stream: LogStream): number | undefined {
  if (stream === 'all') return undefined;
  return stream === 'stdout' ? LETTER.o : LETTER.e;
}

type IsEarly = (from: Buffer, start: number, end: number) => boolean;

/** Times in UTC compare as text, to the second; only a line of that very second, or in another zone, is parsed. */
function before(since: number | undefined): IsEarly {
  if (since === undefined) return () => false;
  const second = Buffer.from(new Date(since).toISOString().slice(0, 19));
  const UTC = 0x5a;
  return (from, start, end) => {
    const order = from[end - 1] === UTC ? from.compare(second, 0, 19, start, start + 19) : 0;
    return order === 0 ? Date.parse(from.toString('latin1', start, end)) < since : order < 0;
  };
}
