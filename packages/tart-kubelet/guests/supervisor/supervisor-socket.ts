import { createServer, type Server, type Socket } from 'node:net';
import type { GuestState } from '../guest.ts';

/** Protocol between agent and supervisor over `s.sock`: one JSON object per line. */

/** Sent on connect and at each state change. */
export interface SupervisorMessage {
  readonly pid: number;
  readonly state: GuestState;
}

/** The only command. A repeated order may shorten the grace period but never extend it. */
interface StopOrder {
  readonly stopWithinMilliseconds: number;
}

export const encodeLine = (message: SupervisorMessage | StopOrder): string => `${JSON.stringify(message)}\n`;

const MAX_LINE = 64 * 1024;

/** Calls back with each complete line as an object; ignores invalid JSON and limits the line length. */
export function readLines(onMessage: (message: Readonly<Record<string, unknown>>) => void): (text: string) => void {
  let pending = '';
  return text => {
    const lines = `${pending}${text}`.split('\n');
    pending = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) {
      const message = parseJson(line);
      if (typeof message === 'object' && message !== null) onMessage(message as Record<string, unknown>);
    }
  };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The supervisor's side of `s.sock`: each client receives the current state and every later change. */
export interface SupervisorSocket {
  publish(state: GuestState): void;
  /** Closes after all messages have been sent. */
  close(): Promise<void>;
}

interface SupervisorSocketOptions {
  /** Relative to the guest's folder, because a socket path is limited to 104 bytes. */
  readonly path: string;
  readonly pid: number;
  readonly state: GuestState;
  onStop(withinMilliseconds: number): void;
}

/** Undefined if the socket file exists: another supervisor has, or had, this guest. */
export async function openSupervisorSocket(options: SupervisorSocketOptions): Promise<SupervisorSocket | undefined> {
  let { state } = options;
  const listeners = new Set<Socket>();
  const server = createServer(socket => {
    listeners.add(socket);
    socket.on('error', () => undefined).on('close', () => listeners.delete(socket));
    const read = readLines(message => {
      const within = message['stopWithinMilliseconds'];
      if (typeof within === 'number') options.onStop(within);
    });
    socket.setEncoding('utf8').on('data', read);
    socket.write(encodeLine({ pid: options.pid, state }));
  });
  if (!(await listening(server, options.path))) return undefined;
  return {
    publish(next) {
      state = next;
      for (const socket of listeners) socket.write(encodeLine({ pid: options.pid, state }));
    },
    async close() {
      await Promise.all(
        [...listeners].map(socket => new Promise<void>(resolve => socket.end(resolve).once('error', () => resolve()))),
      );
      for (const socket of listeners) socket.destroy();
      // `server.close()` would remove the socket file, which must stay as proof that this guest has been taken.
      server.unref();
    },
  };
}

function listening(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(path, () => resolve(true));
  });
}
