import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runnerImage } from '../../actions-runner/install-runner.ts';
import { DISK_TYPE, type ImageManifest, layersOf } from '../../oci/image-content.ts';
import { loginWindowSettings } from '../login-window/login-window.ts';
import { processesOf } from '../processes/process-table.ts';
import { tartOf } from '../tart/tart-part.ts';
import { builderOf } from './image-builder.ts';
import { type BuilderHost, builderHost } from './testing/builder-host.ts';

const TARGET = 'acme/runner';

/** The operators' workflow, reduced to the steps that matter: a bake and a push, on the Mac of the runner. */
const BAKE = {
  repository: 'acme/app',
  labels: ['self-hosted', 'vm-image-builder'],
  name: 'bake',
  script: `cat > runner.pkr.hcl <<'EOF'
source "tart-cli" "runner" {
  vm_base_name = "ghcr.io/acme/base:1"
  vm_name      = "tuist-runner"
}
EOF
packer build runner.pkr.hcl
tart push tuist-runner ghcr.io/${TARGET}:2
tart delete tuist-runner
`,
};

const manifestOf = ({ registry }: BuilderHost): string | undefined =>
  registry.content.manifests.get(TARGET)?.get('2')?.toString();

test('a job bakes and pushes an image with its base’s software, in stages a test can hold', async t => {
  const host = await builderHost(t);
  const { github, mac, passTime, run } = host;
  host.registry.seedImage('acme/base:1', runnerImage());
  const provisioned = Promise.withResolvers<void>();
  builderOf(mac).bake = () => provisioned.promise;
  tartOf(mac).change({ push: { holds: 'disk' } });
  const job = github.queueJob(BAKE);
  await passTime(() => job.log.includes('Connected to SSH!'));
  assert.match((await run('/usr/local/bin/tart list --source local')).out, /tuist-runner .*running/);
  assert.equal(processesOf(mac).find('Runner.Worker').length, 1);
  provisioned.resolve();
  await passTime(() => job.log.includes('pushing disk'));
  assert.match((await run('/usr/local/bin/tart list --source local')).out, /tuist-runner .*stopped/);
  assert.deepEqual([job.status, job.runner?.name, manifestOf(host)], ['in_progress', 'mini-01', undefined]);
  tartOf(mac).change({ push: {} });
  await passTime(() => job.status === 'completed');
  assert.equal(job.conclusion, 'success', job.log);
  assert.equal((await run('/usr/local/bin/tart list --source local --quiet')).out, '');
  const [disk] = layersOf(JSON.parse(manifestOf(host) ?? '{}') as ImageManifest, DISK_TYPE);
  assert.match(host.registry.content.blobs.get(disk?.digest ?? '')?.toString('latin1') ?? '', /actions-runner\/2\./);
  assert.deepEqual([host.journal.gaps, github.doubles()], [[], []]);
});

test('Packer connects once the VM runs, however long its process takes to start', async t => {
  const host = await builderHost(t);
  const { github, mac, passTime, run } = host;
  host.registry.seedImage('acme/base:1');
  // Two real seconds, as on a busy machine.
  tartOf(mac).change({ faults: [{ kind: 'command', matches: '^tart run', fault: { type: 'delay', seconds: 100 } }] });
  let seen = '';
  builderOf(mac).bake = async () => {
    seen = (await run('/usr/local/bin/tart list --source local')).out;
  };
  const job = github.queueJob(BAKE);
  await passTime(() => job.status === 'completed');
  assert.match(seen, /tuist-runner .*running/);
  assert.equal(job.conclusion, 'success', job.log);
});

test('I28 a VM deleted while its disk is pushed fails the job at nvram.bin, and nothing is published', async t => {
  const host = await builderHost(t);
  const { github, mac, passTime, run } = host;
  host.registry.seedImage('acme/base:1');
  tartOf(mac).change({ push: { holds: 'disk' } });
  const job = github.queueJob(BAKE);
  await passTime(() => job.log.includes('pushing disk'));
  assert.equal((await run('/usr/local/bin/tart delete tuist-runner')).code, 0);
  tartOf(mac).change({ push: {} });
  await passTime(() => job.status === 'completed');
  assert.equal(job.conclusion, 'failure');
  assert.match(job.log, /The file ["“]nvram\.bin["”] doesn['’]t exist/);
  assert.equal(manifestOf(host), undefined);
});

test('a full disk fails the bake at the pull of the base; a registry error fails the push', async t => {
  const host = await builderHost(t);
  const { github, mac, passTime } = host;
  host.registry.seedImage('acme/base:1');
  tartOf(mac).change({ disk: { freeBytes: 1e9 } });
  const full = github.queueJob(BAKE);
  await passTime(() => full.status === 'completed');
  assert.equal(full.conclusion, 'failure');
  assert.match(
    full.log,
    /isn’t enough space[\s\S]*Build 'tart-cli\.runner' errored: Failed to clone the virtual machine/,
  );
  tartOf(mac).change({ disk: { freeBytes: 500e9 } });
  const refusal = { type: 'fail', code: 413, message: 'too large' } as const;
  host.registryFaults.add({ place: 'registry', detail: /^PUT .*\/blobs\/uploads\//, fault: refusal });
  const refused = github.queueJob(BAKE);
  await passTime(() => refused.status === 'completed');
  assert.equal(refused.conclusion, 'failure');
  assert.match(refused.log, /UnexpectedHTTPStatusCode\(when: "pushing blob", code: 413/);
});

test('a cancelled bake stops its guest and leaves its VM on disk', async t => {
  const host = await builderHost(t);
  const { github, mac, passTime, run } = host;
  host.registry.seedImage('acme/base:1');
  builderOf(mac).bake = async () => github.cancelJob(job);
  const job = github.queueJob(BAKE);
  await passTime(() => job.status === 'completed');
  assert.equal(job.conclusion, 'cancelled');
  assert.match((await run('/usr/local/bin/tart list --source local')).out, /tuist-runner .*stopped/);
});

test('a bake on a builder that loses power fails when its lease expires, and the runner comes back', async t => {
  const host = await builderHost(t);
  const { github, mac, passTime, clock } = host;
  host.registry.seedImage('acme/base:1');
  tartOf(mac).change({ push: { holds: 'disk' } });
  const job = github.queueJob(BAKE);
  await passTime(() => job.log.includes('pushing disk'));
  loginWindowSettings(mac).display = true;
  void mac.reboot();
  await passTime(() => mac.running);
  assert.deepEqual([job.status, github.state.runners.all[0]?.job], ['in_progress', job]);
  await passTime(() => github.state.runners.all[0]?.online === false);
  await passTime(() => github.state.runners.all[0]?.online === true);
  await clock.advance(github.state.behaviour.leaseLapse);
  const next = github.queueJob({ ...BAKE, script: 'tart list --source local --quiet' });
  await passTime(() => next.status === 'completed');
  assert.deepEqual([job.conclusion, next.conclusion, next.log], ['failure', 'success', 'tuist-runner\n']);
  assert.deepEqual(github.doubles(), []);
});
