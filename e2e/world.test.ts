import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { eventually } from '@minifleet/clock/testing';
import { createAppAuth } from '@octokit/auth-app';
import { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import { createClient } from '@scaleway/sdk-client';
import { Octokit } from 'octokit';

interface WorldAddresses {
  readonly hosts: readonly { readonly name: string; readonly ssh: SshAddress }[];
  readonly scaleway: {
    readonly url: string;
    readonly accessKey: string;
    readonly secretKey: string;
    readonly projectId: string;
  };
  readonly github: {
    readonly url: string;
    readonly appId: number;
    readonly installationId: number;
    readonly keyFile: string;
    readonly organization: string;
  };
  readonly registry: { readonly url: string };
}

interface SshAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly keyFile: string;
  readonly password: string;
}

const run = promisify(execFile);
const OPTIONS = [
  '-o',
  'StrictHostKeyChecking=no',
  '-o',
  'UserKnownHostsFile=/dev/null',
  '-o',
  'LogLevel=ERROR',
  '-o',
  'BatchMode=yes',
];

describe('minifleet world start', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'minifleet-e2e-'));
  let child: ChildProcess;
  let world: WorldAddresses;

  before(async () => {
    const argv = ['packages/dev/minifleet.js', 'world', 'start', '--hosts', '2', '-o', 'json'];
    child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout?.on('data', chunk => (output += String(chunk)));
    world = JSON.parse(await eventually(() => output.includes('\n') && output)) as WorldAddresses;
  });
  after(() => {
    child.kill('SIGKILL');
    rmSync(scratch, { recursive: true, force: true });
  });

  const mac = (): SshAddress => {
    const [host] = world.hosts;
    assert.ok(host);
    return host.ssh;
  };
  const ssh = (command: string) => {
    const { host, port, user, keyFile } = mac();
    return run('ssh', ['-i', keyFile, '-p', String(port), ...OPTIONS, `${user}@${host}`, command]);
  };

  test('OpenSSH runs a command on a simulated Mac and gets its output and exit status', async () => {
    assert.match((await ssh('sw_vers')).stdout, /ProductName:\s+macOS/);
    await assert.rejects(ssh('exit 7'), { code: 7 });
    await assert.rejects(ssh('no-such-command'), (error: { code: number; stderr: string }) => {
      assert.deepEqual([error.code, error.stderr], [127, 'zsh:1: command not found: no-such-command\n']);
      return true;
    });
  });

  test('scp and sftp copy files to and from a simulated Mac unchanged', async () => {
    const { host, port, user, keyFile } = mac();
    const [sent, back] = [join(scratch, 'sent'), join(scratch, 'back')];
    writeFileSync(sent, Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251)));
    await run('scp', ['-q', '-i', keyFile, '-P', String(port), ...OPTIONS, sent, `${user}@${host}:/tmp/file`]);
    await run('scp', ['-q', '-i', keyFile, '-P', String(port), ...OPTIONS, `${user}@${host}:/tmp/file`, back]);
    assert.ok(readFileSync(back).equals(readFileSync(sent)));
    const batch = join(scratch, 'batch');
    writeFileSync(batch, `rename /tmp/file /tmp/renamed\nget /tmp/renamed ${back}2\n`);
    await run('sftp', ['-q', '-b', batch, '-i', keyFile, '-P', String(port), ...OPTIONS, `${user}@${host}`]);
    assert.ok(readFileSync(`${back}2`).equals(readFileSync(sent)));
  });

  test('I14 a simulated Mac rejects password authentication', async () => {
    const { host, port, user } = mac();
    const argv = ['-p', String(port), ...OPTIONS, '-o', 'PubkeyAuthentication=no', `${user}@${host}`, 'true'];
    await assert.rejects(run('ssh', argv), (error: { code: number; stderr: string }) => {
      assert.equal(error.code, 255);
      assert.match(error.stderr, /Permission denied \(publickey\)/);
      return true;
    });
  });

  test('the official Scaleway SDK lists the pool', async () => {
    const { url: apiURL, accessKey, secretKey, projectId } = world.scaleway;
    const client = createClient({ apiURL, accessKey, secretKey, defaultProjectId: projectId, defaultZone: 'fr-par-1' });
    const { servers } = await new Applesiliconv1alpha1.API(client).listServers({ projectId });
    assert.deepEqual(servers.map(({ name }) => name).sort(), ['tuist-pool-01', 'tuist-pool-02']);
  });

  test('Octokit authenticates as the App and creates a registration token', async () => {
    const { url: baseUrl, appId, installationId, keyFile, organization: org } = world.github;
    const auth = { appId, installationId, privateKey: readFileSync(keyFile, 'utf8') };
    const octokit = new Octokit({ baseUrl, authStrategy: createAppAuth, auth });
    const { status, data } = await octokit.rest.actions.createRegistrationTokenForOrg({ org });
    assert.equal(status, 201);
    assert.ok(data.token.length > 10);
  });

  test('the registry responds', async () => {
    assert.equal((await fetch(`${world.registry.url}/v2/`)).status, 200);
  });

  test('Ctrl-C ends world start with exit code 0 and leaves no file', async () => {
    const exited = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGINT');
    assert.equal(await exited, 0);
    assert.equal(existsSync(dirname(mac().keyFile)), false);
  });
});
