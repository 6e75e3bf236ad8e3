import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiEndpoint } from '@minifleet/api';
import { endpointFor } from './join.ts';

const OWN = 'https://api.example:6443';

const cases: readonly {
  readonly name: string;
  readonly endpoint?: Partial<ApiEndpoint>;
  readonly own?: string;
  readonly url?: string;
  readonly unknown?: RegExp;
}[] = [
  {
    name: 'the Cluster’s own',
    endpoint: { host: '198.51.100.7', port: 443 },
    own: OWN,
    url: 'https://198.51.100.7:443',
  },
  {
    name: 'the Cluster’s own, by IPv6',
    endpoint: { host: '2001:db8::1', port: 6443 },
    url: 'https://[2001:db8::1]:6443',
  },
  { name: 'the usual port when none is named', endpoint: { host: 'api.example' }, url: OWN },
  { name: 'ours when the Cluster names none', own: OWN, url: OWN },
  { name: 'ours when the Cluster names a stub', endpoint: { host: '127.0.0.1', port: 6443 }, own: OWN, url: OWN },
  { name: 'ours when the Cluster names an empty host', endpoint: { host: '', port: 0 }, own: OWN, url: OWN },
  {
    name: 'loopback where we use it ourselves',
    endpoint: { host: '127.0.0.1', port: 6443 },
    own: 'https://127.0.0.1:6443',
    url: 'https://127.0.0.1:6443',
  },
  { name: 'unknown without any endpoint', unknown: /the Cluster has no endpoint/ },
  {
    name: 'none by a stub alone',
    endpoint: { host: 'localhost', port: 6443 },
    unknown: /endpoint localhost is a loopback address/,
  },
  { name: 'none by a stub in IPv6', endpoint: { host: '::1', port: 6443 }, unknown: /::1/ },
];

for (const { name, endpoint, own, url, unknown } of cases) {
  test(`API server URL for hosts is ${name}`, () => {
    const found = endpointFor({ spec: endpoint ? { controlPlaneEndpoint: endpoint } : {} }, own);
    if (url !== undefined) assert.deepEqual(found, { url });
    if (unknown) assert.match('unknown' in found ? found.unknown : '', unknown);
  });
}
