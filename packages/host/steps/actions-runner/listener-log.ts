/** What the runner's own log says of its present process. */
export type Listener =
  /** Nothing to be read: rotated away, or written by an older runner. */
  | { readonly state: 'unknown' }
  | { readonly state: 'connecting' }
  | { readonly state: 'connected' }
  /** In its words; it goes on trying, or has given up. */
  | { readonly state: 'failing'; readonly words: string }
  /** GitHub knows this runner no more; only a new registration helps. */
  | { readonly state: 'deleted' };

const STARTED = 'Starting Runner listener';
const PID = /^Started listener process, pid: (\d+)$/;
const CONNECTED = /Listening for Jobs|Running job: |Job .* completed with result|Runner reconnected\./;
const DELETED = /registration has been deleted from the server/;
const FAILING =
  /Runner connect error: (.*?)(?:\. Retrying until reconnected\.)?$|Failed to create (?:a )?session\. (.*)$|(A session for this runner already exists)|An error occurr?ed: (.*)$|(Not configured)/;

/**
 * Reads the end of stdout.log of `actions.runner.…`: what was said since the last start, the last word counts. What a
 * listener said that lives no more is true of the registration, not of the connection.
 */
export function readListenerLog(tail: string, lives: (pid: number) => boolean): Listener {
  const lines = tail.split('\n').map(line => line.trim());
  const start = lines.findLastIndex(line => line.startsWith(STARTED));
  if (start < 0) return { state: 'unknown' };
  const said = lines.slice(start + 1);
  const last = said.reduce<Listener>((before, line) => heard(line) ?? before, { state: 'connecting' });
  const pid = Number(said.map(line => PID.exec(line)?.[1]).find(found => found !== undefined));
  return last.state === 'connected' && !lives(pid) ? { state: 'connecting' } : last;
}

function heard(line: string): Listener | undefined {
  if (CONNECTED.test(line)) return { state: 'connected' };
  if (DELETED.test(line)) return { state: 'deleted' };
  const words = FAILING.exec(line)
    ?.slice(1)
    .find(word => word !== undefined);
  return words === undefined ? undefined : { state: 'failing', words };
}
