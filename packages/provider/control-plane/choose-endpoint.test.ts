import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointIn } from './judge-control-plane.ts';

const urls: readonly [string, string, number][] = [
  ['https://10.96.0.1', '10.96.0.1', 443],
  ['https://api.example.com:6443', 'api.example.com', 6443],
  ['https://[2001:db8::1]:6443/', '2001:db8::1', 6443],
];

for (const [url, host, port] of urls) {
  test(`${url} is host ${host} and port ${port}`, () => assert.deepEqual(endpointIn(url), { host, port }));
}
