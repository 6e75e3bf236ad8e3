import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { Pipe } from '../processes/pipe.ts';
import type { Input } from '../program.ts';
import { type Call, decodeCall, encodeFrame, frameReader } from './frames.ts';

/** A call and its streams. `signal` aborts when the caller is gone. */
export interface ServedCall extends Call {
  readonly stdin: Input;
  readonly out: (text: string | Buffer) => void;
  readonly err: (text: string | Buffer) => void;
  readonly signal: AbortSignal;
}

export interface CallServer {
  /** Every caller finds its command killed, and the next finds nobody. */
  close(): void;
}

/** Answers on a socket file; a path is taken at once, so that a caller started after this finds it. */
export function serveCalls(path: string, run: (call: ServedCall) => Promise<number>): CallServer {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serve(socket, run);
  });
  rmSync(path, { force: true });
  server.listen(path).unref();
  return {
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function serve(socket: Socket, run: (call: ServedCall) => Promise<number>): void {
  const gone = new AbortController();
  const stdin = new Pipe();
  const read = frameReader();
  const send = (kind: 'O' | 'R') => (text: string | Buffer) => void socket.write(encodeFrame(kind, text));
  // A caller that was killed resets its connection: that is its way of leaving.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    stdin.end();
    gone.abort();
  });
  socket.on('data', chunk => {
    for (const { kind, content } of read(chunk as Buffer)) {
      if (kind === 'I') stdin.write(content);
      if (kind === 'E') stdin.end();
      if (kind === 'C')
        void run({ ...decodeCall(content), stdin, out: send('O'), err: send('R'), signal: gone.signal }).then(
          code => socket.end(encodeFrame('X', String(code))),
          () => socket.destroy(),
        );
    }
  });
}
