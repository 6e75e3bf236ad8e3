import type { ServedPod } from '../served-pod.ts';
import type { GuestConnection } from './dial-guest.ts';
import { joinHalves } from './join-halves.ts';

/** macOS has it; it copies its input to the port and the port to its output. */
const relay = (port: number): readonly [string, ...string[]] => ['nc', '127.0.0.1', String(port)];
const MOST_WORDS = 1_024;

export async function relayThroughGuest(pod: ServedPod, port: number): Promise<GuestConnection> {
  const session = await pod.exec({ argv: relay(port), stdin: true });
  let received = 0;
  let words = '';
  session.stdout.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  session.stderr.on('data', (chunk: Buffer) => {
    if (words.length < MOST_WORDS) words += chunk.toString();
  });
  const exited = session.exited.catch(() => -1);
  const io = joinHalves(session.stdout, session.stdin);
  io.once('close', () => session.close());
  return {
    io,
    async failure() {
      // A relay that fails without a byte never had a connection; one that fails later lost it, which TCP would not explain either.
      const code = await exited;
      if (code === 0 || received > 0) return undefined;
      return `nothing answers on port ${port} in the guest${words.trim() ? `: ${words.trim()}` : ` (relay exited with ${code})`}`;
    },
  };
}
