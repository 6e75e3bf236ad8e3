import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { PROVIDER_FLAG_WRONG, providerFlags } from './flags.ts';

const { parse } = providerFlags;

test('without flags the provider reconciles all namespaces with the default limits', () => {
  const flags = parse([]);
  assert.equal(flags.namespace, undefined);
  assert.equal(flags.leaderElect, false);
  assert.deepEqual(flags.bind, { host: '0.0.0.0', port: 8080 });
  assert.deepEqual([flags.bootstrap.rebootAfter, flags.bootstrap.giveUpAfter, flags.rolls.maxUnavailable], [3, 8, 1]);
  assert.equal(flags.inspection.every, minutes(10));
  assert.deepEqual(flags.sweep, { every: minutes(15), zones: ['fr-par-1'], reclaim: false });
});

test('the provider reads durations, object names and lists', () => {
  const flags = parse(['--bootstrap-deadline=1h30m', '--stuck-after=90s', '--inventory=macs/office', '--zones=a,b']);
  assert.equal(flags.bootstrap.deadline, minutes(90));
  assert.equal(flags.stuckAfter, seconds(90));
  assert.deepEqual(flags.inventory, { namespace: 'macs', name: 'office' });
  assert.deepEqual(flags.sweep.zones, ['a', 'b']);
});

test('an invalid flag of the provider is an error that names the flag and --help', () => {
  assert.throws(
    () => parse(['--inventory=macs']),
    (error: Error & { code?: string }) => {
      assert.equal(error.code, PROVIDER_FLAG_WRONG.code);
      const help = 'run `minifleet-provider --help` for the flags';
      assert.equal(error.message, `--inventory macs is not <namespace>/<name>; ${help}`);
      return true;
    },
  );
});
