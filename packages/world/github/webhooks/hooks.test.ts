import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import { Webhooks } from '@octokit/webhooks';
import { appClient } from '../testing/clients.ts';
import { APP_ID, type ExampleGithub, exampleGithub, INSTALLATION_ID } from '../testing/example-github.ts';

const SECRET = 'between us';
const JOB = { repository: 'acme/app', labels: ['macos'] };

interface ReceivedDelivery {
  readonly action: string;
  readonly guid: string;
  readonly signature: string;
  readonly text: string;
}

interface Bench extends ExampleGithub {
  readonly received: ReceivedDelivery[];
  readonly actions: () => string[];
}

async function forgeWithReceiver(t: TestContext): Promise<Bench> {
  const received: ReceivedDelivery[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { action } = JSON.parse(text) as { action: string };
      const header = (name: string): string => String(request.headers[name]);
      received.push({ action, guid: header('x-github-delivery'), signature: header('x-hub-signature-256'), text });
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const forge = await exampleGithub(t, { checkOpenApi: true, hooks: [{ url, secret: SECRET, app: APP_ID }] });
  return { ...forge, received, actions: () => received.map(each => each.action) };
}

test('webhooks: queued, started and completed jobs are announced with a signature that Octokit verifies', async t => {
  const { github, received, actions } = await forgeWithReceiver(t);
  const scope = github.state.accounts.findScope('acme');
  assert.ok(scope);
  const runner = github.state.runners.add({ scope, name: 'mac', groupId: 1, labels: ['macos'], ephemeral: true });
  const session = github.connect(runner.clientId);
  github.queueJob(JOB);
  await eventually(() => received.length === 1);
  session.takeJob();
  await eventually(() => received.length === 2);
  session.finishJob('success');
  await eventually(() => received.length === 3);
  assert.deepEqual(actions(), ['queued', 'in_progress', 'completed']);
  const webhooks = new Webhooks({ secret: SECRET });
  for (const { text, signature } of received) assert.equal(await webhooks.verify(text, signature), true);
  assert.equal(await webhooks.verify(`${received[0]?.text} `, received[0]?.signature ?? ''), false);
  const last = JSON.parse(received[2]?.text ?? '') as Record<string, Record<string, unknown>>;
  assert.deepEqual([last['installation']?.['id'], last['workflow_job']?.['runner_name']], [INSTALLATION_ID, 'mac']);
  assert.deepEqual(github.deviations, []);
});

test('webhooks: a lost delivery is not retried, but the App can list and redeliver it', async t => {
  const { github, faults, received } = await forgeWithReceiver(t);
  faults.add({ detail: /^webhook workflow_job.queued/, times: 1, fault: { type: 'drop', when: 'before' } });
  github.queueJob(JOB);
  const app = appClient(github).rest.apps;
  const failed = await eventually(async () => (await app.listWebhookDeliveries({ status: 'failure' })).data[0]);
  assert.deepEqual([failed.event, failed.action, received.length], ['workflow_job', 'queued', 0]);
  await app.redeliverWebhookDelivery({ delivery_id: Number(failed.id) });
  await eventually(() => received.length === 1);
  assert.equal(received[0]?.guid, failed.guid);
  await eventuallyHolds(async () => assert.equal((await app.listWebhookDeliveries({})).data[0]?.redelivery, true));
  assert.deepEqual(github.deviations, []);
});

test('webhooks: a delivery can arrive twice with the same guid', async t => {
  const { github, faults, received } = await forgeWithReceiver(t);
  faults.add({ detail: /^webhook/, times: 1, fault: { type: 'drop', when: 'during' } });
  github.queueJob(JOB);
  await eventually(() => received.length === 2);
  assert.equal(received[0]?.guid, received[1]?.guid);
});

test('webhooks: a later delivery overtakes a delayed one', async t => {
  const { github, faults, clock, received, actions } = await forgeWithReceiver(t);
  faults.add({ detail: /queued/, times: 1, fault: { type: 'delay', by: seconds(30) } });
  github.cancelJob(github.queueJob(JOB));
  await eventually(() => received.length === 1);
  await clock.advance(seconds(30));
  await eventually(() => received.length === 2);
  assert.deepEqual(actions(), ['completed', 'queued']);
});
