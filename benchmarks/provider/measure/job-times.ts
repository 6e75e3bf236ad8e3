const BEGIN = 'Host job started';
const END = 'Host job finished';

interface LogLine {
  readonly time?: string;
  readonly message?: string;
  readonly job?: string;
}

/** Seconds of each finished host job, from the provider's log. */
export function jobTimes(log: string): number[] {
  const begun = new Map<string, number>();
  return linesOf(log).flatMap(({ time = '', message, job = '' }) => {
    if (message === BEGIN) begun.set(job, Date.parse(time));
    const at = begun.get(job);
    return message === END && at !== undefined ? [(Date.parse(time) - at) / 1_000] : [];
  });
}

function linesOf(log: string): LogLine[] {
  return log.split('\n').flatMap(line => {
    try {
      return line.includes('"Host job ') ? [JSON.parse(line) as LogLine] : [];
    } catch {
      return []; // the last line may be incomplete
    }
  });
}
