import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { HELP, parseFlags, RUNNERS_FLAG_WRONG } from './flags.ts';

test('without a flag the program looks after the pools of one namespace, with the usual bounds', () => {
  const flags = parseFlags([]);
  assert.equal(flags.namespace, 'tuist-runners');
  assert.equal(flags.leaderElect, false);
  assert.deepEqual(flags.bind, { host: '0.0.0.0', port: 8080 });
  assert.equal(flags.lookEvery, seconds(30));
  assert.equal(flags.terminatingAfter, minutes(5));
  assert.equal(flags.scalingSignalsUrl, undefined);
});

test('an empty namespace is every namespace', () => assert.equal(parseFlags(['--namespace=']).namespace, undefined));

const WRONG: readonly (readonly [string, RegExp])[] = [
  ['--terminating-after=soon', /--terminating-after soon is not a duration such as 90s, 30m or 1h/],
  ['--pool-concurrency=many', /--pool-concurrency many is not a whole number/],
  ['--pool-concurrency=0', /--pool-concurrency 0 would do nothing/],
  ['--bind-address=here', /--bind-address here is not an address such as 0\.0\.0\.0:8080/],
  ['--scaling-signals-url=over-there', /--scaling-signals-url over-there is not an address such as https/],
  ['--log-level=loud', /--log-level loud is none of debug, info, warn, error/],
  ['--no-such-flag', /no-such-flag/],
];
for (const [flag, words] of WRONG) {
  test(`${flag} is refused with what to write, and where the flags are explained`, () => {
    assert.throws(
      () => parseFlags([flag]),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, RUNNERS_FLAG_WRONG.code);
        assert.match(error.message, words);
        assert.match(error.message, /minifleet-runners --help/);
        return true;
      },
    );
  });
}

test('the help has every flag, and none that does not exist', () => {
  const told = [...HELP.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name).filter(name => name !== 'version');
  for (const name of told) assert.doesNotThrow(() => parseFlags([`--${name}${VALUES[name] ?? '=5m'}`]), name);
  assert.equal(new Set(told).size, Object.keys(parseFlags([])).length, 'a flag for each setting');
});

const VALUES: Readonly<Record<string, string>> = {
  'leader-elect': '',
  'bind-address': '=127.0.0.1:0',
  'log-level': '=info',
  'pool-concurrency': '=2',
  'forge-api-url': '=https://github.example/api/v3',
  'scaling-signals-url': '=https://server.example/signals',
};
