import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { HELP, PROVIDER_FLAG_WRONG, parseFlags } from './flags.ts';

test('without a flag the provider looks after every namespace, with the usual bounds', () => {
  const flags = parseFlags([]);
  assert.equal(flags.namespace, undefined);
  assert.equal(flags.leaderElect, false);
  assert.deepEqual(flags.bind, { host: '0.0.0.0', port: 8080 });
  assert.deepEqual([flags.rebootAfter, flags.giveUpAfter, flags.maxUnavailable], [3, 8, 1]);
  assert.equal(flags.inspectEvery, minutes(10));
});

test('times, names and lists are read as people write them', () => {
  const flags = parseFlags([
    '--bootstrap-deadline=1h30m',
    '--stuck-after=90s',
    '--inventory=macs/office',
    '--zones=a,b',
  ]);
  assert.equal(flags.bootstrapDeadline, minutes(90));
  assert.equal(flags.stuckAfter, seconds(90));
  assert.deepEqual(flags.inventory, { namespace: 'macs', name: 'office' });
  assert.deepEqual(flags.zones, ['a', 'b']);
});

const WRONG: readonly (readonly [string, RegExp])[] = [
  ['--bootstrap-deadline=soon', /--bootstrap-deadline soon is not a duration such as 90s, 30m or 1h/],
  ['--bootstrap-concurrency=many', /--bootstrap-concurrency many is not a whole number/],
  ['--bind-address=here', /--bind-address here is not an address such as 0\.0\.0\.0:8080/],
  ['--inventory=macs', /--inventory macs is not <namespace>\/<name>/],
  ['--log-level=loud', /--log-level loud is none of debug, info, warn, error/],
  ['--no-such-flag', /no-such-flag/],
];
for (const [flag, words] of WRONG) {
  test(`${flag} is refused with what to write, and where the flags are explained`, () => {
    assert.throws(
      () => parseFlags([flag]),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, PROVIDER_FLAG_WRONG.code);
        assert.match(error.message, words);
        assert.match(error.message, /--help/);
        return true;
      },
    );
  });
}

test('the help has every flag, and none that does not exist', () => {
  const told = [...HELP.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name).filter(name => name !== 'version');
  const known = Object.keys(parseFlags([])).length;
  for (const name of told)
    assert.doesNotThrow(
      () =>
        parseFlags([
          `--${name}${(name.startsWith('leader-elect') && name === 'leader-elect') || name === 'reclaim-orphans' ? '' : `=${VALID[name] ?? '1'}`}`,
        ]),
      name,
    );
  assert.equal(new Set(told).size, known, 'a flag for each setting');
});

const VALID: Readonly<Record<string, string>> = {
  'bind-address': '127.0.0.1:0',
  inventory: 'a/b',
  'kubeconfig-service-account': 'a/b',
  'log-level': 'info',
  ...Object.fromEntries(
    [
      'bootstrap-deadline',
      'inspect-every',
      'roll-retry-after',
      'bootstrap-token-life',
      'orphan-reclaim-interval',
      'stuck-after',
      'kubeconfig-life',
    ].map(name => [name, '5m']),
  ),
};
