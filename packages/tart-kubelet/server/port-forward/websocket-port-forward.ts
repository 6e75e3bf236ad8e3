/** Port-forward over WebSocket channels: the query lists the ports; each has a data and an error channel. */

import { joinHalves } from '../guest-connection.ts';
import { createIdleLimit } from '../idle-limit.ts';
import { HttpProblem } from '../kubelet-request.ts';
import type { ServedPod } from '../server-deps.ts';
import { listOf, type Upgrade } from '../upgrade.ts';
import { acceptWebSocket } from '../websocket/accept-websocket.ts';
import { openChannels } from '../websocket/channels.ts';
import { forward } from './forward.ts';

const PROTOCOLS = ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io'];
const MAX_PORTS = 64;

export async function serveChannelPortForward(upgrade: Upgrade, pod: ServedPod): Promise<void> {
  const { server, query } = upgrade.call;
  const ports = parsePorts(query);
  const { socket, protocol } = await acceptWebSocket(upgrade, PROTOCOLS);
  const idle = createIdleLimit(server.clock, server.limits.idle, () => socket.terminate());
  const channels = openChannels(socket, {
    base64: protocol.includes('base64'),
    closing: false,
    onActivity: () => idle.touch(),
  });
  channels.gone.addEventListener('abort', () => idle.stop(), { once: true });
  await Promise.all(
    ports.map(async (port, index) => {
      const [data, error] = [channels.writable(2 * index), channels.writable(2 * index + 1)];
      // The first message on both channels is the port number.
      const name = Buffer.from([port & 0xff, port >> 8]);
      data.write(name);
      error.write(name);
      const client = joinHalves(channels.readable(2 * index), data);
      client.on('error', () => undefined);
      const reason = await forward(client, { pod, port, clock: server.clock });
      if (reason !== undefined) error.write(reason);
    }),
  );
  channels.close();
}

export function parsePorts(query: URLSearchParams): number[] {
  const ports = listOf(query.getAll('port')).map(Number);
  if (ports.length === 0) throw new HttpProblem(400, 'query parameter "port" is required');
  if (ports.length > MAX_PORTS) throw new HttpProblem(400, `at most ${MAX_PORTS} ports can be forwarded at once`);
  const wrong = ports.find(port => !Number.isInteger(port) || port < 1 || port > 65_535);
  if (wrong !== undefined) throw new HttpProblem(400, 'query parameter "port" must be a number from 1 to 65535');
  return ports;
}
