/** A job as `launchctl print <domain>/<label>` shows it. */
export interface PrintedJob {
  /** `running`, `spawn scheduled`, `not running` and others. */
  readonly state: string;
  readonly pid: number | undefined;
  /** Starts since the bootstrap. */
  readonly runs: number;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly logFile: string | undefined;
  readonly keepAlive: boolean;
  /**
   * Last exit as reported by launchd. It stays for the life of the job, so next to a running process it describes the
   * past.
   */
  readonly lastExit: LastExit;
}

interface LastExit {
  /** `78: EX_CONFIG`; undefined if it never exited by itself. */
  readonly code: string | undefined;
  /** `Killed: 9`. */
  readonly signal: string | undefined;
  /** `OS_REASON_CODESIGNING` and the like. */
  readonly reason: string | undefined;
}

/** Returns undefined if launchd has no such job (exit code 113, empty standard output). */
export function parsePrintedJob(text: string): PrintedJob | undefined {
  const blocks = blocksOf(text);
  const own = blocks.get('');
  const state = own && fieldOf(own, 'state');
  if (!own || state === undefined) return undefined;
  const code = fieldOf(own, 'last exit code');
  return {
    state,
    pid: numberOf(fieldOf(own, 'pid')),
    runs: numberOf(fieldOf(own, 'runs')) ?? 0,
    arguments: blocks.get('arguments') ?? [],
    environment: Object.fromEntries((blocks.get('environment') ?? []).map(line => pairOf(line, ' => '))),
    user: fieldOf(own, 'username'),
    logFile: fieldOf(own, 'stdout path'),
    keepAlive: (fieldOf(own, 'properties') ?? '').split(' | ').includes('keepalive'),
    lastExit: {
      code: code === '(never exited)' ? undefined : code,
      signal: fieldOf(own, 'last terminating signal'),
      reason: fieldOf(own, 'last exit reason'),
    },
  };
}

/**
 * Groups lines by block, '' for the job itself. Only one tab deep, because coalitions and endpoints have their own
 * states and pids.
 */
function blocksOf(text: string): Map<string, string[]> {
  const blocks = new Map<string, string[]>();
  let block: string | undefined;
  for (const line of text.split('\n')) {
    const opened = /^\t(\S.*) = \{$/.exec(line)?.[1];
    if (opened !== undefined) block = opened;
    else if (line === '\t}') block = undefined;
    const found = /^(\t{1,2})(?!\t)(.+)$/.exec(line);
    if (found && opened === undefined && (found[1] === '\t') === (block === undefined))
      blocks.set(block ?? '', [...(blocks.get(block ?? '') ?? []), found[2] ?? '']);
  }
  return blocks;
}

const fieldOf = (lines: readonly string[], name: string): string | undefined =>
  lines.find(line => line.startsWith(`${name} = `))?.slice(name.length + 3);

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

function pairOf(line: string, separator: string): [string, string] {
  const at = line.indexOf(separator);
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + separator.length)];
}

/** Describes the last exit for operators. */
export function describeLastExit({ code, signal, reason }: LastExit): string {
  if (isSignatureKill({ reason })) return 'macOS killed it for its code signature (OS_REASON_CODESIGNING)';
  if (reason !== undefined) return `macOS terminated it (${reason})`;
  if (code?.startsWith('78'))
    return 'launchd could not start it (exit code 78 EX_CONFIG: check program, log file and user)';
  if (code !== undefined) return `it exited with code ${code}`;
  return signal === undefined ? 'it has never exited' : `it was terminated by a signal (${signal})`;
}

/** True if the kernel found unexpected code: overwritten in place, or still bound to the previous code (I19). */
export const isSignatureKill = ({ reason }: Pick<LastExit, 'reason'>): boolean =>
  reason?.startsWith('OS_REASON_CODESIGNING') === true;

/** Age of each process in seconds by pid, from `ps -axo pid=,etime=,command=`. */
export function processAges(listing: string): ReadonlyMap<number, number> {
  const ages = new Map<number, number>();
  for (const line of listing.split('\n')) {
    const found = /^\s*(\d+)\s+(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)(?:\s|$)/.exec(line);
    if (!found) continue;
    const [pid = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map(part => Number(part ?? 0));
    ages.set(pid, ((days * 24 + hours) * 60 + minutes) * 60 + seconds);
  }
  return ages;
}
