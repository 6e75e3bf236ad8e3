import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveHealth } from './health-server.ts';
import { createMetrics } from './metrics.ts';

test('the health server serves liveness, readiness and metrics, and a failure names its check', async t => {
  const metrics = createMetrics();
  metrics.reconciles.inc({ controller: 'samm', result: 'success' });
  let waiting: string | undefined = 'initial list incomplete: pods';
  const server = await serveHealth({
    registry: metrics.registry,
    host: '127.0.0.1',
    port: 0,
    live: { loop: () => undefined },
    ready: { informers: () => waiting },
  });
  t.after(() => server.close());
  const ask = async (path: string): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  for (const path of ['/livez', '/healthz']) {
    assert.deepEqual(await ask(path), { status: 200, text: '[+] loop ok\n' });
  }
  assert.deepEqual(await ask('/readyz'), { status: 503, text: '[-] informers: initial list incomplete: pods\n' });
  waiting = undefined;
  assert.equal((await ask('/readyz?verbose')).status, 200);
  assert.match(
    (await ask('/metrics')).text,
    /controller_runtime_reconcile_total\{controller="samm",result="success"\} 1/,
  );
  assert.equal((await ask('/')).status, 404);
});

test('the health server serves single checks, and no metrics without a registry', async t => {
  const ready = { node: () => undefined, disk: () => 'full' };
  const server = await serveHealth({ host: '127.0.0.1', port: 0, ready });
  t.after(() => server.close());
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).status;
  const paths = ['/readyz', '/readyz/node', '/readyz/disk', '/readyz/other', '/readyz/node/x', '/livez', '/metrics'];
  assert.deepEqual(await Promise.all(paths.map(status)), [503, 200, 503, 404, 404, 200, 404]);
});

test('the metrics have the names that controller-runtime dashboards use', async () => {
  const text = await createMetrics().registry.metrics();
  const wanted = [
    'controller_runtime_reconcile_total',
    'controller_runtime_reconcile_errors_total',
    'controller_runtime_terminal_reconcile_errors_total',
    'controller_runtime_reconcile_panics_total',
    'controller_runtime_reconcile_time_seconds',
    'controller_runtime_max_concurrent_reconciles',
    'controller_runtime_active_workers',
    'workqueue_depth',
    'workqueue_adds_total',
    'workqueue_retries_total',
    'workqueue_queue_duration_seconds',
    'workqueue_work_duration_seconds',
    'workqueue_unfinished_work_seconds',
    'workqueue_longest_running_processor_seconds',
    'rest_client_requests_total',
    'leader_election_master_status',
  ];
  assert.deepEqual(
    wanted.filter(name => !text.includes(`# TYPE ${name} `)),
    [],
  );
});
