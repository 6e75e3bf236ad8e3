import { createServer, type Server, type Socket } from 'node:net';
import type { GuestState } from '../guest.ts';

/** What agent and supervisor say to each other over `s.sock`: one JSON object a line. */

/** Sent on connecting, and again whenever the state changes. */
export interface SupervisorNews {
  readonly pid: number;
  readonly state: GuestState;
}

/** The one order there is. Given again with less grace, the guest has less time; never more. */
interface StopOrder {
  readonly stopWithinMilliseconds: number;
}

export const encodeLine = (message: SupervisorNews | StopOrder): string => `${JSON.stringify(message)}\n`;

const MOST_LINE = 64 * 1024;

/** Calls back with each whole line as an object; what is no JSON is passed over, and no line grows without end. */
export function readLines(onMessage: (message: Readonly<Record<string, unknown>>) => void): (text: string) => void {
  let pending = '';
  return text => {
    const lines = `${pending}${text}`.split('\n');
    pending = (lines.pop() ?? '').slice(0, MOST_LINE);
    for (const line of lines) {
      const message = parsed(line);
      if (typeof message === 'object' && message !== null) onMessage(message as Record<string, unknown>);
    }
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The supervisor's side of `s.sock`: whoever connects hears the state at once and every change after it. */
export interface SupervisorSocket {
  publish(state: GuestState): void;
  /** After everything said has been sent. */
  close(): Promise<void>;
}

interface SupervisorSocketOptions {
  /** Relative, from within the guest's folder: a socket's path holds 104 bytes. */
  readonly path: string;
  readonly pid: number;
  readonly state: GuestState;
  onStop(withinMilliseconds: number): void;
}

/** Undefined when the socket's file exists: another supervisor has, or had, this guest. */
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
      // Node would remove the socket's file; it has to stay, for it says that this guest has been taken.
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
