import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { KubeSecret } from '@minifleet/kube';
import { CONFIGURATION_KEY } from './registration.ts';
import { shownLines } from './runner-log.ts';

const configuration = randomBytes(600).toString('base64');
const secret: KubeSecret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'a' },
  data: { [CONFIGURATION_KEY]: Buffer.from(configuration).toString('base64') },
};

const forms: Readonly<Record<string, string>> = {
  'plain text': configuration,
  Base64: Buffer.from(configuration).toString('base64'),
  hexadecimal: Buffer.from(configuration).toString('hex'),
  'a URL': encodeURIComponent(configuration),
  'JSON inside JSON': JSON.stringify(JSON.stringify({ jitconfig: configuration })),
};

for (const [form, text] of Object.entries(forms)) {
  test(`the JIT configuration is redacted from the log of a runner, written as ${form}`, () => {
    const shown = shownLines(`started with ${text}\nexit 1`, secret) ?? '';
    assert.match(shown, /^started with .*\[runner configuration\].*\nexit 1$/s);
    assert.ok(!shown.includes(text.slice(40, 80)), shown);
  });
}

test('the log of a runner without a Secret is shown as it is, cut to its last 2000 characters', () => {
  assert.equal(shownLines(`${'x'.repeat(3_000)}\n`, undefined), 'x'.repeat(2_000));
  assert.equal(shownLines('\n', undefined), undefined);
});
