import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '../packages/local-cluster/testing/host-network-support.ts';
import { type RunningUp, startUp } from './minifleet-up.ts';
import { ofProcess, processesOf } from './testing/processes-of.ts';

/** What the agents among them see as their Macs. */
const macFolders = (pids: readonly string[]): string[] =>
  pids.flatMap(pid => /--state-dir=(\S+)\/var\/lib/.exec(ofProcess(pid, 'cmdline'))?.[1] ?? []);

describe('minifleet up', () => {
  let up: RunningUp;
  before(async () => {
    up = await startUp();
  });
  after(() => up.signal('SIGKILL'));

  const printedLine = (command: string): string => {
    const [line] = new RegExp(`npm run minifleet -- ${command} .+`).exec(up.output()) ?? [];
    assert.ok(line, `a line for ${command} is printed`);
    return line;
  };

  test('it says what it did and how to reach it', () => {
    assert.match(
      up.output(),
      /Kubernetes v1\.36\.\d+ with Cluster API v1\.14\.\d+ and 5 kinds of Minifleet is up at https:/,
    );
    assert.match(up.output(), /starting kube-apiserver/);
  });

  test('kubectl lists our kinds', async () => {
    const crds = await up.tool('kubectl', 'get', 'crds', '-o', 'name');
    for (const name of [
      'scalewayapplesiliconmachines.infrastructure',
      'hostclaims.infrastructure',
      'externalcontrolplanes.controlplane',
    ]) {
      assert.match(crds, new RegExp(`${name}\\.cluster\\.x-k8s\\.io`));
    }
  });

  test('kubectl explains a field in words', async () => {
    const text = await up.tool('kubectl', 'explain', 'samm.spec.adoptPoolPrefix');
    assert.match(text.replace(/\s+/g, ' '), /Hosts whose name at the vendor starts with this prefix are free to adopt/);
  });

  test('Cluster API clones a machine of ours from the template of a MachineDeployment', async () => {
    await up.tool('kubectl', 'apply', '--validate=strict', '-f', 'docs/examples/first-fleet.yaml');
    const machines = await eventually(async () => {
      const { items } = JSON.parse(await up.tool('kubectl', 'get', 'samm', '-o', 'json')) as { items: Cloned[] };
      assert.deepEqual(
        items.flatMap(({ metadata }) => metadata.ownerReferences.map(({ kind }) => kind)),
        ['Machine', 'Machine'],
      );
      return items;
    });
    for (const machine of machines) {
      assert.equal(machine.metadata.annotations['cluster.x-k8s.io/cloned-from-name'], 'runners');
      assert.deepEqual(
        { os: machine.spec.os, adoptPoolPrefix: machine.spec.adoptPoolPrefix, type: machine.spec.type },
        { os: 'Tahoe', adoptPoolPrefix: 'tuist-pool-', type: 'M2-L' },
      );
    }
  });

  test('a value that is nonsense is refused with what to write instead', async () => {
    const patch = JSON.stringify({ spec: { os: '26.3' } });
    const name = (await up.tool('kubectl', 'get', 'samm', '-o', 'name')).split('\n')[0] ?? '';
    await assert.rejects(
      up.tool('kubectl', 'patch', name, '--type=merge', '-p', patch),
      (error: { stderr: string }) => {
        assert.match(error.stderr, /os must be an image .*macos-tahoe-26\.3.*Tahoe/s);
        return true;
      },
    );
  });

  test('one can log in to a simulated Mac with the printed line', async () => {
    const [, config = '', name = ''] = /ssh -F (\S+) (\S+)/.exec(up.output()) ?? [];
    const { stdout } = await promisify(execFile)('ssh', ['-F', config, name, 'sw_vers -productName; whoami']);
    assert.equal(stdout, 'macOS\nm1\n');
  });

  test('its simulated Macs are hosts, and the printed line shows one as it is wanted', async () => {
    assert.match(up.output(), /✓ tuist-pool-01 \([\d.]+ s\): converged, \d+ steps changed\n/);
    assert.match(up.output(), /\n3 of them are hosts already/);
    const { code, output, errors } = await up.minifleet(printedLine('host plan'));
    assert.equal(code, 0, output + errors);
    assert.match(output, /^STEP +STATE +DISTURBS +DIFFERENCE\nsudo +✓ current\nauto-login +✓ current\n/);
    assert.match(output, /\nall \d+ steps are current\n$/);
  });

  test('a Mac that was broken is named by plan, repaired by converge, and as wanted again', async () => {
    const [, config = '', name = '', command = ''] = /ssh -F (\S+) (\S+) (sudo pfctl .+)/.exec(up.output()) ?? [];
    await promisify(execFile)('ssh', ['-F', config, name, command]);
    const broken = await up.minifleet(printedLine('host plan'));
    assert.equal(broken.code, 3, broken.errors);
    assert.match(broken.output, /\nvm-egress +~ drift +nothing +no rules are loaded at com\.apple\/tuist\.runners\n/);
    assert.match(broken.output, /\n1 of \d+ steps differs; converge would change it, disturbing nothing\n$/);
    const repaired = await up.minifleet(printedLine('host converge'));
    assert.equal(repaired.code, 0, repaired.output + repaired.errors);
    assert.match(repaired.output, /vm-egress changed after /);
    const { code, output } = await up.minifleet(printedLine('host plan'));
    assert.equal(code, 0, output);
  });

  test('its Macs become Nodes, the example Pod runs on one of them, and kubectl shows what its guest says', {
    skip: noHostNetwork,
  }, async () => {
    for (const name of ['tuist-pool-01', 'tuist-pool-02', 'tuist-pool-03']) {
      await up.tool('kubectl', 'wait', `node/${name}`, '--for=condition=Ready', '--timeout=30s');
      await eventually(() => new RegExp(`✓ ${name} \\(.+\\): a Node, Ready\n`).test(up.output()));
    }
    await up.tool('kubectl', 'apply', '--validate=strict', '-f', 'docs/examples/first-pod.yaml');
    await up.tool('kubectl', 'wait', 'pod/first', '--for=condition=Ready', '--timeout=60s');
    const said = await eventually(async () => {
      const text = await up.tool('kubectl', 'logs', 'first');
      return text.includes('hello') && text;
    });
    assert.match(said, /^26\.3\nhello from tuist-pool-0\d\n$/);
    assert.equal(await up.tool('kubectl', 'exec', 'first', '--', 'echo', 'inside'), 'inside\n');
  });

  test('clusterctl and helm reach the cluster, too', async () => {
    assert.match(await up.tool('clusterctl', 'describe', 'cluster', 'minifleet'), /MachineDeployment default\/runners/);
    assert.match(await up.tool('helm', 'list', '--all-namespaces'), /NAMESPACE/);
  });

  test('Ctrl-C ends it well and leaves neither a process nor a file behind', async () => {
    const folder = dirname(up.tools);
    const processes = processesOf(folder);
    const folders = [folder, ...macFolders(processes)];
    assert.ok(processes.length >= 5, 'the programs are found while they run');
    assert.equal(folders.length, noHostNetwork === false ? 4 : 1, 'the folders of the Macs are found');
    assert.equal(await up.signal('SIGINT'), 0);
    assert.deepEqual(processesOf(folder), []);
    assert.deepEqual(
      folders.filter(each => existsSync(each)),
      [],
    );
  });
});

interface Cloned {
  readonly metadata: {
    readonly annotations: Record<string, string>;
    readonly ownerReferences: readonly { readonly kind: string }[];
  };
  readonly spec: { readonly os: string; readonly adoptPoolPrefix: string; readonly type: string };
}
