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
  assert.deepEqual(flags.discovery, { every: minutes(1), zones: ['fr-par-1'], reclaim: false });
});

test('the provider reads durations, object names and lists', () => {
  const flags = parse([
    '--bootstrap-deadline=1h30m',
    '--stuck-after=90s',
    '--kubeconfig-service-account=macs/remote',
    '--zones=a,b',
    '--discovery-interval=30s',
    '--reclaim-orphans',
  ]);
  assert.equal(flags.bootstrap.deadline, minutes(90));
  assert.equal(flags.stuckAfter, seconds(90));
  assert.deepEqual(flags.clusterKubeconfig.serviceAccount, { namespace: 'macs', name: 'remote' });
  assert.deepEqual(flags.discovery, { every: seconds(30), zones: ['a', 'b'], reclaim: true });
});

test('an invalid flag of the provider is an error that names the flag and --help', () => {
  assert.throws(
    () => parse(['--kubeconfig-service-account=macs']),
    (error: Error & { code?: string }) => {
      assert.equal(error.code, PROVIDER_FLAG_WRONG.code);
      const help = 'run `minifleet-provider --help` for the flags';
      assert.equal(error.message, `--kubeconfig-service-account macs is not <namespace>/<name>; ${help}`);
      return true;
    },
  );
});

test('flags that earlier versions had are reported as unknown, so that an upgrade fails at start', () => {
  for (const removed of ['--inventory=macs/office', '--sweep-every=5m'])
    assert.throws(() => parse([removed]), {
      code: PROVIDER_FLAG_WRONG.code,
      message: new RegExp(removed.split('=')[0] ?? ''),
    });
});
