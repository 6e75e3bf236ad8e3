import assert from 'node:assert/strict';
import type { Github } from '../start-github.ts';
import { installationClient } from './clients.ts';

interface ScaleSetReply {
  readonly status: number;
  readonly text: string;
  /** Parsed without a byte order mark; an empty object for an empty body. */
  readonly json: Record<string, unknown>;
}

interface ScaleSetClient {
  /** Calls the service with the admin token. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<ScaleSetReply>;
  /** Calls the queue with its own token. */
  readonly queue: (
    method: string,
    url: string,
    options: { token: string; capacity?: number; body?: unknown },
  ) => Promise<ScaleSetReply>;
}

/** Connects like real listeners: registration token, exchange, then the service under the returned URL. */
export async function scaleSetClient(github: Github): Promise<ScaleSetClient> {
  const { data } = await installationClient(github).rest.actions.createRegistrationTokenForOrg({ org: 'acme' });
  const exchanged = await send(`${github.url}/actions/runner-registration`, {
    method: 'POST',
    headers: { authorization: `RemoteAuth ${data.token}` },
    body: JSON.stringify({ url: 'https://github.com/acme', runner_event: 'register' }),
  });
  const { url, token } = exchanged.json as { url: string; token: string };
  assert.ok(url && token);
  return {
    call: (method, path, body) => {
      const address = new URL(`${url}_apis/${path}`);
      address.searchParams.set('api-version', '6.0-preview');
      return send(address.href, { method, headers: { authorization: `Bearer ${token}` }, ...asBody(body) });
    },
    queue: (method, address, { token: queueToken, capacity = 10, body }) =>
      send(address, {
        method,
        headers: { authorization: `Bearer ${queueToken}`, 'x-scalesetmaxcapacity': String(capacity) },
        ...asBody(body),
      }),
  };
}

const asBody = (body: unknown): { body?: string } => (body === undefined ? {} : { body: JSON.stringify(body) });

async function send(url: string, init: RequestInit): Promise<ScaleSetReply> {
  const response = await fetch(url, init);
  const text = Buffer.from(await response.arrayBuffer()).toString('utf8');
  const json = text === '' ? {} : (JSON.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>);
  return { status: response.status, text, json };
}

/** A listener with an open session on the scale set `macs`. */
interface TestListener {
  readonly client: ScaleSetClient;
  readonly setId: number;
  readonly session: Record<string, unknown>;
  /** Polls and acknowledges the next message. Returns `type result` of each entry; undefined for 202. */
  readonly poll: (options?: { capacity?: number; keep?: boolean }) => Promise<readonly string[] | undefined>;
  readonly statistics: () => Record<string, number>;
}

export async function listen(github: Github): Promise<TestListener> {
  const client = await scaleSetClient(github);
  const made = await client.call('POST', 'runtime/runnerscalesets', { name: 'macs', runnerGroupId: 1 });
  const setId = Number(made.json['id']);
  const opened = await client.call('POST', `runtime/runnerscalesets/${setId}/sessions`, { ownerName: 'listener-1' });
  const session = opened.json;
  const token = String(session['messageQueueAccessToken']);
  const url = String(session['messageQueueUrl']);
  let statistics = session['statistics'] as Record<string, number>;
  return {
    client,
    setId,
    session,
    statistics: () => statistics,
    async poll({ capacity = 10, keep = false } = {}) {
      const { status, json } = await client.queue('GET', url, { token, capacity });
      if (status === 202) return undefined;
      assert.equal(status, 200);
      statistics = json['statistics'] as Record<string, number>;
      const address = new URL(url);
      address.pathname += `/${Number(json['messageId'])}`;
      if (!keep) assert.equal((await client.queue('DELETE', address.href, { token })).status, 204);
      const entries = JSON.parse(String(json['body'])) as { messageType: string; result?: string }[];
      return entries.map(({ messageType, result }) =>
        result === undefined ? messageType : `${messageType} ${result}`,
      );
    },
  };
}
