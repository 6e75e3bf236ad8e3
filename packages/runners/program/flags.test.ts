import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { RUNNERS_FLAG_WRONG, runnersFlags } from './flags.ts';

const { parse } = runnersFlags;

test('without flags the runners program reconciles the pools of one namespace with the default limits', () => {
  const flags = parse([]);
  assert.equal(flags.namespace, 'tuist-runners');
  assert.equal(flags.leaderElect, false);
  assert.deepEqual(flags.bind, { host: '0.0.0.0', port: 8080 });
  assert.equal(flags.lookEvery, seconds(30));
  assert.equal(flags.stuckAfter, minutes(5));
  assert.equal(flags.scalingSignalsUrl, undefined);
});

test('an empty --namespace of the runners program means all namespaces', () => {
  assert.equal(parse(['--namespace=']).namespace, undefined);
});

test('an invalid flag of the runners program is an error that names the flag and --help', () => {
  assert.throws(
    () => parse(['--pool-concurrency=0']),
    (error: Error & { code?: string }) => {
      assert.equal(error.code, RUNNERS_FLAG_WRONG.code);
      assert.equal(error.message, '--pool-concurrency 0 is less than 1; run `minifleet-runners --help` for the flags');
      return true;
    },
  );
});
