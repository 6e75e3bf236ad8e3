import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { createHostNetwork } from '@minifleet/local-cluster';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import {
  BOOTSTRAP,
  LABEL,
  type RealJob,
  type RealJobOptions,
  realJob,
  root as superuser,
} from '@minifleet/world/testing/mac';
import { buildAgent } from './build-agent.ts';
import { findPlatform } from './platform.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'minifleet');
const out = mkdtempSync(join(tmpdir(), 'minifleet-build-'));
const skip = process.platform === 'linux' && process.arch === 'x64' ? false : 'runs on linux-x64 only';
let binary = '';

before(async () => {
  if (skip !== false) return;
  const silent = { update() {}, done() {}, failed() {} };
  const main = 'packages/tart-kubelet/build/testing/stub-agent.ts';
  const platform = findPlatform('linux-x64');
  ({ executable: binary } = await buildAgent({
    root,
    cache,
    out,
    main,
    platform,
    node: process.execPath,
    step: () => silent,
  }));
});
after(() => rmSync(out, { recursive: true, force: true }));

const options = (commands: readonly string[]): RealJobOptions => ({
  binary,
  flags: ['--state-dir=/var/lib/tart-kubelet'],
  arguments: commands,
  plist: { ThrottleInterval: 1 },
});

/** Output of each command in the nth run of the executable. */
async function heard({ log, clock }: RealJob, command: string, run = 1): Promise<string> {
  return eventually(
    async () => {
      await clock.advance(seconds(2));
      const lines = log()
        .split('\n')
        .filter(line => line.includes(JSON.stringify(command)));
      return lines.length >= run && (JSON.parse(lines[run - 1] ?? '') as { readonly output: string }).output;
    },
    { what: `run ${run} of ${command}` },
  );
}

const pidOf = ({ folder }: RealJob): number => Number(readFileSync(join(folder, 'var/lib/tart-kubelet/pid'), 'utf8'));

test('I06 the executable under launchd sees its own Mac and that no user has a GUI session', {
  skip,
}, async t => {
  const job = realJob(t, options(['sw_vers -productVersion', 'sudo -n launchctl print gui/501', 'id -un']));
  job.mac.files.write(superuser, '/etc/sudoers.d/m1', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  await job.asRoot(BOOTSTRAP);
  assert.equal(await heard(job, 'sw_vers -productVersion'), '26.3\n');
  assert.equal(await heard(job, 'id -un'), 'm1\n');
  assert.match(await heard(job, 'sudo -n launchctl print gui/501'), /^code 125: Could not print domain/);
  assert.match(await job.asRoot(`launchctl print system/${LABEL}`), /state = running/);
});

test('I17 the executable survives a kickstart as a new process with the same state', { skip }, async t => {
  const job = realJob(t, options(['uname -m']));
  await job.asRoot(BOOTSTRAP);
  assert.equal(await heard(job, 'uname -m'), 'arm64\n');
  const first = await eventually(() => pidOf(job));
  await job.asRoot(`launchctl kickstart -k system/${LABEL}`);
  assert.equal(await heard(job, 'uname -m', 2), 'arm64\n');
  await eventually(() => pidOf(job) !== first);
  assert.ok(!existsSync(`/proc/${first}`));
});

test('KeepAlive restarts a killed executable', { skip }, async t => {
  const job = realJob(t, options(['sw_vers -buildVersion']));
  await job.asRoot(BOOTSTRAP);
  await heard(job, 'sw_vers -buildVersion');
  process.kill(await eventually(() => pidOf(job)), 'SIGKILL');
  assert.equal(await heard(job, 'sw_vers -buildVersion', 2), '25D125\n');
  assert.match(await job.asRoot(`launchctl print system/${LABEL}`), /last terminating signal = Killed: 9/);
});

test('each Mac has its own address, as its programs report it', { skip: skip || noHostNetwork }, async t => {
  const hosts = await createHostNetwork({ name: 'mac', addresses: 1 });
  t.after(() => hosts.stop());
  const [address = ''] = hosts.addresses;
  const network = { address, inside: (argv: readonly string[]) => hosts.inside(argv) };
  const job = realJob(t, { ...options(['ipconfig getifaddr en0', 'ifconfig en0']), network });
  await job.asRoot(BOOTSTRAP);
  assert.equal(await heard(job, 'ipconfig getifaddr en0'), `${address}\n`);
  assert.match(await heard(job, 'ifconfig en0'), new RegExp(`inet ${address} `));
  const port = await eventually(() => readFileSync(join(job.folder, 'var/lib/tart-kubelet/port'), 'utf8'));
  assert.equal((await fetch(`http://${address}:${port}/`)).status, 200);
});
