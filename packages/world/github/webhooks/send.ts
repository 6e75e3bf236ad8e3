import { request } from 'node:http';
import type { Delivery } from './delivery.ts';
import { sign } from './sign.ts';

/** Posts one delivery over a connection of its own and resolves with the status; rejects when no answer comes. */
export function send(delivery: Delivery, signal: AbortSignal): Promise<number> {
  const { hook, payload } = delivery;
  return new Promise((resolve, reject) => {
    const post = request(hook.url, { method: 'POST', signal, agent: false, headers: headersOf(delivery) }, response => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    post.on('error', reject);
    post.end(payload);
  });
}

const headersOf = ({ hook, payload, event, guid, id }: Delivery): Record<string, string> => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(payload)),
  accept: '*/*',
  'user-agent': 'GitHub-Hookshot/44a6c3e',
  'x-github-event': event,
  'x-github-delivery': guid,
  'x-github-hook-id': String(id % 1_000),
  'x-github-hook-installation-target-type': hook.app === undefined ? 'organization' : 'integration',
  ...(hook.app !== undefined && { 'x-github-hook-installation-target-id': String(hook.app) }),
  'x-hub-signature-256': sign(payload, hook.secret),
});
