/** The server on loopback with its own certificate authority and a function as API server: for tests without a cluster. */
import { type RequestOptions, request } from 'node:https';
import { type Duplex, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Clock, minutes, seconds, systemClock } from '@minifleet/clock';
import { type Pod, silentLog } from '@minifleet/kube';
import { createCertificateAuthority } from '@minifleet/local-cluster/testing/pki';
import type { NodeAccess } from '../access/reviews.ts';
import { type KubeletServer, startKubeletServer } from '../kubelet-server.ts';
import { guestsOf, type LocalGuest } from './local-guest.ts';

export interface ServerForTests {
  readonly server: KubeletServer;
  readonly authority: ReturnType<typeof createCertificateAuthority>;
  /** A client certificate, allowed everything unless the user is called otherwise in `rights`. */
  readonly client: { readonly cert: string; readonly key: string };
  ask(path: string, options?: RequestOptions): Promise<Answer>;
  /** An upgrade, for what `ws` would not say. */
  upgrade(path: string, headers: Record<string, string>): Promise<Answer & { readonly socket?: Duplex }>;
}

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

interface ServerForTestsOptions {
  readonly guests: readonly LocalGuest[];
  readonly clock?: Clock;
  /** Users that may do only this, by name. */
  readonly rights?: Readonly<Record<string, (access: NodeAccess) => boolean>>;
}

const USER = 'kube-apiserver-kubelet-client';

export async function startServerForTests({
  guests,
  clock = systemClock,
  rights = {},
}: ServerForTestsOptions): Promise<ServerForTests> {
  const authority = createCertificateAuthority('cluster');
  const server = await startKubeletServer({
    node: 'mac-1',
    clock,
    log: silentLog,
    reviews: {
      authenticate: async token => (token === 'good' ? { username: 'scraper', groups: [] } : undefined),
      isAllowed: async ({ username }, access) => rights[username]?.(access) ?? true,
    },
    guests: guestsOf(guests),
    pods: () => guests.map(podOf),
    samples: async () => ({ node: undefined, guests: [] }),
    metrics: async () => 'a_metric 1\n',
    unhealthy: () => undefined,
    limits: { idle: minutes(1), opening: seconds(30), closing: seconds(10) },
    host: '127.0.0.1',
    port: 0,
    serving: authority.issue({ commonName: 'system:node:mac-1', addresses: ['127.0.0.1'], usages: ['server'] }),
    clientAuthority: authority.certificate,
  });
  const pair = authority.issue({ commonName: USER, organizations: ['people'], usages: ['client'] });
  const client = { cert: pair.certificate, key: pair.privateKey };
  const base = { host: '127.0.0.1', port: server.port, ca: authority.certificate, agent: false };
  const ask = (path: string, options: RequestOptions = {}): Promise<Answer & { socket?: Duplex }> =>
    new Promise((resolve, reject) => {
      const asked = request({ ...base, ...client, path, ...options });
      asked.once('error', reject);
      asked.once('upgrade', ({ headers }, socket) => resolve({ status: 101, headers, body: '', socket }));
      asked.once('response', response => {
        const { statusCode: status = 0, headers } = response;
        text(Readable.from(response)).then(body => resolve({ status, headers, body }), reject);
      });
      asked.end();
    });
  const upgrade = (path: string, headers: Record<string, string>) =>
    ask(path, { method: 'POST', headers: { connection: 'Upgrade', ...headers } });
  return { server, authority, client, ask, upgrade };
}

const podOf = ({ namespace, name, uid }: LocalGuest): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name, uid },
  spec: { containers: [{ name: 'main', image: 'macos' }], nodeName: 'mac-1' },
});
