/** Process: a minimal API server for the loops, which sends events at a given rate and counts requests. */
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { serveCalls } from '../../child/serve-calls.ts';
import { sharedClock } from '../../child/shared-clock.ts';
import { SETTINGS, WRITTEN_AT } from '../names.ts';
import { answerRequest } from './answer-request.ts';
import type { Load, StubCalls } from './calls.ts';
import { Collection } from './collection.ts';

let version = 1;
const nextVersion = (): number => ++version;
const configMaps = new Collection('ConfigMap', nextVersion);
const secrets = new Collection('Secret', nextVersion);
secrets.fill([SETTINGS]);
const collections = new Map([
  ['configmaps', configMaps],
  ['secrets', secrets],
]);
const counts = { list: 0, watch: 0, patch: 0, other: 0, connections: 0 };

serveCalls<StubCalls>({
  async listen(tls) {
    // Both versions of HTTP, so that each client uses the same one as with a real server.
    const server = createSecureServer({ ...tls, requestCert: true, rejectUnauthorized: true, allowHTTP1: true });
    server.on('secureConnection', () => counts.connections++);
    server.on('request', (request, response) => counts[answerRequest(collections, request, response)]++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port };
  },
  async fill(objects) {
    configMaps.fill(Array.from({ length: objects }, (_, number) => `object-${number}`));
    return { bytesPerObject: JSON.stringify(configMaps.patch('object-0', {})).length };
  },
  load: sendLoad,
  async touchSettings() {
    const writtenAt = sharedClock();
    secrets.patch(SETTINGS, stamp(writtenAt));
    return { writtenAt };
  },
  counts: async () => counts,
});

async function sendLoad({ eventsPerSecond, seconds, stamped }: Load): Promise<{ sent: number }> {
  const { names } = configMaps;
  const total = eventsPerSecond * seconds;
  const startedAt = sharedClock();
  let sent = 0;
  while (sent < total) {
    const due = Math.min(total, Math.floor(((sharedClock() - startedAt) * eventsPerSecond) / 1_000));
    for (; sent < due; sent++) configMaps.patch(names[sent % names.length] ?? '', change(sent, stamped));
    await pause(1);
  }
  return { sent };
}

/** Changes the data as well as the stamp, which is missing in the warm-up. */
const change = (number: number, stamped: boolean): object => ({
  ...stamp(stamped ? sharedClock() : undefined),
  data: { changes: String(number) },
});

const stamp = (at: number | undefined): object => ({
  metadata: { annotations: { [WRITTEN_AT]: at === undefined ? null : String(at) } },
});
