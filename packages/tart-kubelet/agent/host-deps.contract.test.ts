import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@minifleet/clock';
import { silentLog } from '@minifleet/kube';
import { createRedactor } from '@minifleet/secret';
import { createImages } from '../images/images.ts';
import { IMAGE, openImageHost, requestFor } from '../images/testing/image-host.ts';
import type { AgentContext } from './agent-context.ts';
import { parseAgentFlags } from './flags.ts';
import { openHostDeps } from './host-deps.ts';

test('the next agent owns an image whose pull outlived the agent that started it', async context => {
  const host = await openImageHost(context);
  const { digest } = host.registry.seedImage('acme/runner:1');
  await host.ledger.intend(IMAGE, undefined);
  await host.simulated.call(['pull', IMAGE]);
  const { path, home } = host.simulated;
  const flags = parseAgentFlags([`--tart=${path}`, `--state-dir=${host.directory}`], 'mini-01');
  const around: AgentContext = {
    clock: systemClock,
    environment: { PATH: process.env['PATH'], HOME: home },
    user: 'm1',
    version: 'test',
    supervisor: ['false'],
    signal: new AbortController().signal,
    flags,
    log: silentLog,
    lostLogLines: () => 3,
    redactor: createRedactor(),
    logs: join(host.directory, 'logs'),
    tartHome: home,
  };
  const { guests, ledger, metrics, tart } = await openHostDeps(around, () => undefined);
  await guests.recover();
  assert.deepEqual([...ledger.owned().keys()], [`ghcr.io/acme/runner@${digest}`]);
  const images = createImages({ tart, ledger, clock: systemClock, log: silentLog });
  assert.equal((await images.ensure(requestFor(IMAGE))).pulled, false);
  assert.match(await metrics.kube.registry.metrics(), /^tart_kubelet_log_lines_lost 3$/m);
});
