import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webUrl } from './github-forge.ts';

const table = {
  'https://api.github.com': 'https://github.com/acme',
  'https://api.acme.ghe.com/': 'https://acme.ghe.com/acme',
  'https://github.acme.test/api/v3': 'https://github.acme.test/acme',
  'https://acme.test:8443/github/api/v3/': 'https://acme.test:8443/github/acme',
};

for (const [api, web] of Object.entries(table)) {
  test(`runners of an account at ${api} register at ${web}`, () => assert.equal(webUrl(api, 'acme'), web));
}
