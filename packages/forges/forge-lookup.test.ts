import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Duration, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createForgeLookup, type SecretData } from './forge-lookup.ts';
import { memoryForge } from './testing/memory-forge.ts';
import { memoryResolver } from './testing/memory-resolver.ts';

const source = { namespace: 'ci', secretName: 'app', account: 'acme' };
const SECRET: SecretData = { data: { 'app-id': Buffer.from('42').toString('base64') } };

function bench(secret: SecretData | undefined, reuseFor?: Duration) {
  const clock = fakeClock();
  const resolver = memoryResolver(memoryForge({ clock }));
  const reads: string[] = [];
  const lookup = createForgeLookup({
    clock,
    resolver,
    readSecret: async ({ namespace, name }) => {
      reads.push(`${namespace}/${name}`);
      return secret;
    },
    ...(reuseFor === undefined ? {} : { reuseFor }),
  });
  return { clock, lookup, reads, resolver };
}

test('a lookup passes the decoded Secret, its name and the account to the resolver', async () => {
  const { lookup, resolver } = bench(SECRET);
  await lookup.find(source);
  const [reference] = resolver.asked;
  assert.deepEqual([reference?.account, reference?.place], ['acme', 'Secret ci/app']);
  assert.equal(Buffer.from(reference?.fields['app-id'] ?? []).toString(), '42');
});

test('a lookup of a missing Secret fails with its name and the fields to create', async () => {
  const { lookup } = bench(undefined);
  await assert.rejects(lookup.find(source), {
    code: 'FORGE_SECRET_MISSING',
    reason: 'SecretMissing',
    message: /^Secret ci\/app not found; create it with app-id, installation-id and private-key .* on acme$/,
  });
});

test('a Secret is read for each lookup by default', async () => {
  const { lookup, reads } = bench(SECRET);
  await lookup.find(source);
  await lookup.find(source);
  assert.equal(reads.length, 2);
});

test('a Secret is not read again within reuseFor, and each account has its own lookup', async () => {
  const { clock, lookup, reads } = bench(SECRET, seconds(30));
  await lookup.find(source);
  await clock.advance(seconds(29));
  await lookup.find(source);
  assert.equal(reads.length, 1);
  await lookup.find({ ...source, account: 'other' });
  assert.equal(reads.length, 2);
  await clock.advance(seconds(1));
  await lookup.find(source);
  assert.equal(reads.length, 3);
});
