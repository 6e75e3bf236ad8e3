import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactCredentials } from './credential-forms.ts';

const BODY = 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg'.repeat(3);

test('texts with the form of a credential are removed although nobody has learnt them', () => {
  const texts: Readonly<Record<string, string>> = {
    'joined with abcdef.0123456789abcdef at last': 'joined with [not shown] at last',
    'token: "s3cr3t-value", user: m1': 'token: "[not shown]", user: m1',
    [`client-key-data: ${BODY}`]: 'client-key-data: [not shown]',
    'Authorization: Bearer hunter2hunter2': 'Authorization: Bearer [not shown]',
    'got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln': 'got [not shown]',
    'git clone with ghp_0123456789abcdefABCD': 'git clone with [not shown]',
    [`sent ghs_42_eyJh-bGci.ey-JpYXQi_x.${'aZ-_9'.repeat(68)}.`]: 'sent [not shown].',
    [`--jitconfig=${BODY}`]: '--jitconfig=[not shown]',
    [`-----BEGIN EC PRIVATE KEY-----\n${BODY}\n-----END EC PRIVATE KEY-----\nafter`]: '[not shown]\nafter',
    '-----BEGIN PRIVATE KEY-----\nMIGHAg': '[not shown]',
    [`${BODY.slice(0, 64)}\n-----END PRIVATE KEY-----`]: '[not shown]\n-----END PRIVATE KEY-----',
  };
  for (const [text, clean] of Object.entries(texts)) assert.equal(redactCredentials(text), clean);
});

test('ordinary log lines stay as they are', () => {
  for (const line of [
    'tart-kubelet: /etc/tart-kubelet/kubeconfig: server is missing',
    'flag --host-memory-mb: expected a whole number, got "8G"; valid flags: see --help',
    `sha256 ${'8554ab4f'.repeat(8)} of /usr/local/lib/tart-kubelet/8554ab4f7fc12afe/tart-kubelet`,
    'connect ECONNREFUSED 10.0.0.1:6443 for machost://mini-01.example.com',
  ])
    assert.equal(redactCredentials(line), line);
});
