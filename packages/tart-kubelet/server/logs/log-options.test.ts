import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLogOptions } from './log-options.ts';

const NOW = Date.UTC(2030, 0, 1);
const parse = (query: string) => parseLogOptions(new URLSearchParams(query), NOW);

test('without log options all streams are shown and not followed', () => {
  assert.deepEqual(parse(''), {
    follow: false,
    previous: false,
    timestamps: false,
    since: undefined,
    tailLines: undefined,
    limitBytes: undefined,
    stream: 'all',
  });
});

test('every log option is parsed', () => {
  const options = parse('follow=true&previous=1&timestamps=true&sinceSeconds=60&tailLines=5&limitBytes=10&stream=All');
  assert.deepEqual(options, {
    follow: true,
    previous: true,
    timestamps: true,
    since: NOW - 60_000,
    tailLines: 5,
    limitBytes: 10,
    stream: 'all',
  });
  assert.equal(parse('sinceTime=2029-12-31T00:00:00Z').since, NOW - 86_400_000);
  assert.equal(parse('stream=Stderr').stream, 'stderr');
  assert.equal(parse('tail=all').tailLines, undefined);
  assert.equal(parse('follow=false').follow, false);
});

test('an unparsable log option is 400', () => {
  for (const query of ['tailLines=many', 'limitBytes=1.5', 'sinceTime=yesterday', 'sinceSeconds=0x1']) {
    assert.throws(() => parse(query), { status: 400, message: '{"message": "Unable to decode query."}' }, query);
  }
});

test('an invalid log option is 422', () => {
  const senseless = [
    'tailLines=-1',
    'limitBytes=0',
    'sinceSeconds=0',
    'sinceSeconds=1&sinceTime=2029-12-31T00:00:00Z',
    'stream=Both',
    'stream=Stdout&tailLines=1',
  ];
  for (const query of senseless) assert.throws(() => parse(query), { status: 422 }, query);
});
