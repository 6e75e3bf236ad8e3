import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '../packages/local-cluster/testing/host-network-support.ts';
import { type RunningUp, startUp } from './minifleet-up.ts';
import { ofProcess, processesOf } from './testing/processes-of.ts';
import { steadyStart } from './testing/steady-start.ts';

/** What the agents among them see as their Macs. */
const macFolders = (pids: readonly string[]): string[] =>
  pids.flatMap(pid => /--state-dir=(\S+)\/var\/lib/.exec(ofProcess(pid, 'cmdline'))?.[1] ?? []);

describe('minifleet up', () => {
  let up: RunningUp;
  before(async () => {
    up = await startUp();
  });
  after(() => up.signal('SIGKILL'));

  const names = async (...what: readonly string[]): Promise<string[]> =>
    (await up.tool('kubectl', 'get', ...what, '-o', 'name')).split('\n').filter(name => name !== '');
  const claims = async (): Promise<number> => (await names('hostclaims')).length;
  const readyMachines = async (): Promise<number> => {
    const path = '{range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
    return (await up.tool('kubectl', 'get', 'samm', '-o', `jsonpath=${path}`)).split('\n').filter(one => one === 'True')
      .length;
  };

  const printedLine = (command: string): string => {
    const [line] = new RegExp(`minifleet ${command} .+`).exec(up.output()) ?? [];
    assert.ok(line, `a line for ${command} is printed`);
    return line;
  };

  test('it says what it did and how to reach it', () => {
    assert.match(
      up.output(),
      /Kubernetes v1\.36\.\d+ with Cluster API v1\.14\.\d+ and 6 kinds of Minifleet is up at https:/,
    );
    assert.match(up.output(), /starting kube-apiserver/);
  });

  test('docs/screens/npm-start.txt is a recording of what it prints', { skip: noHostNetwork }, () => {
    const recorded = readFileSync(new URL('../docs/screens/npm-start.txt', import.meta.url), 'utf8');
    assert.deepEqual(
      steadyStart(up.output()),
      steadyStart(recorded),
      'record it anew: npm start > docs/screens/npm-start.txt',
    );
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

  test('Cluster API clones a machine of ours from the template of each MachineDeployment', async () => {
    await up.tool('kubectl', 'apply', '--validate=strict', '-f', 'docs/examples/three-fleets.yaml');
    const { items } = JSON.parse(await up.tool('kubectl', 'get', 'samm', '-o', 'json')) as { items: Cloned[] };
    assert.deepEqual(
      items.flatMap(({ metadata }) => metadata.ownerReferences.map(({ kind }) => kind)),
      Array.from({ length: 9 }, () => 'Machine'),
    );
    const from = (fleet: string): number =>
      items.filter(({ metadata }) => metadata.annotations['cluster.x-k8s.io/cloned-from-name'] === fleet).length;
    assert.deepEqual(['macos', 'runners', 'builders'].map(from), [3, 4, 2]);
    for (const { spec } of items) {
      assert.deepEqual(
        { os: spec.os, adoptPoolPrefix: spec.adoptPoolPrefix, type: spec.type },
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

  test('nine Macs are Ready Nodes of three fleets that are Available, each told with its time', async () => {
    const told = [...up.output().matchAll(/✓ fleet (\S+) \([\d.]+ s after the start\): (\d) Macs are Ready Nodes\n/g)];
    assert.deepEqual(told.map(([, fleet, macs]) => `${fleet} ${macs}`).toSorted(), [
      'builders 2',
      'macos 3',
      'runners 4',
    ]);
    await up.tool('kubectl', 'wait', 'machinedeployment', '--all', '--for=condition=Available', '--timeout=180s');
    assert.match(await up.tool('kubectl', 'get', 'hostclaims'), /runners-\S+ +True +Ready/);
  });

  test('minifleet and its plugin for kubectl are among the tools it offers', async () => {
    assert.match(await up.tool('minifleet', 'get', 'fleets'), /\ndefault +builders +Ready +2\/2 /);
    assert.match(await up.tool('kubectl-minifleet', '--help'), /^Usage: kubectl minifleet /);
  });

  test('I19 a Mac that is broken by the printed line is repaired, and the line says when', {
    skip: noHostNetwork,
  }, async () => {
    const [line = ''] = /minifleet break \S+/.exec(up.output()) ?? [];
    const { code, output, errors } = await up.minifleet(`${line} --wait`);
    assert.equal(code, 0, output + errors);
    assert.match(output, /! I19 on (macos|runners)-\S+: wrote other bytes/);
    assert.match(output, /✓ repaired after [\d.]+ s: the original binary is restored/);
  });

  test('a Mac that no fleet has becomes a host by hand; broken, it is named by plan, repaired by converge, and as wanted again', async () => {
    const made = await up.minifleet(printedLine('host converge'));
    assert.equal(made.code, 0, made.output + made.errors);
    const [, config = '', name = '', command = ''] = /ssh -F (\S+) (\S+) (sudo pfctl .+)/.exec(up.output()) ?? [];
    await promisify(execFile)('ssh', ['-F', config, name, command]);
    const broken = await up.minifleet(printedLine('host plan'));
    assert.equal(broken.code, 3, broken.errors);
    assert.match(
      broken.output,
      /\nvm-egress +~ drift +nothing +no rules are loaded in anchor com\.apple\/tuist\.runners\n/,
    );
    assert.match(broken.output, /\n1 of \d+ steps differs; converge would change it, disturbing nothing\n$/);
    const repaired = await up.minifleet(printedLine('host converge'));
    assert.equal(repaired.code, 0, repaired.output + repaired.errors);
    assert.match(repaired.output, /vm-egress changed after /);
    const { code, output } = await up.minifleet(printedLine('host plan'));
    assert.equal(code, 0, output);
    assert.match(output, /^STEP +STATE +DISTURBS +DIFFERENCE\nsudo +✓ current\nauto-login +✓ current\n/);
  });

  test('the example Pod runs on one of its Nodes, and kubectl shows what its guest says', {
    skip: noHostNetwork,
  }, async () => {
    await up.tool('kubectl', 'apply', '--validate=strict', '-f', 'docs/examples/first-pod.yaml');
    await up.tool('kubectl', 'wait', 'pod/first', '--for=condition=Ready', '--timeout=180s');
    const said = await eventually(async () => {
      const text = await up.tool('kubectl', 'logs', 'first');
      return text.includes('hello') && text;
    });
    assert.match(said, /^26\.3\nhello from (macos|runners)-\S+\n$/);
    assert.equal(await up.tool('kubectl', 'exec', 'first', '--', 'echo', 'inside'), 'inside\n');
  });

  test('warm VMs took its first job; one more, by the printed line, is done in a VM of its own, and the next one comes', {
    skip: noHostNetwork,
  }, async () => {
    assert.match(up.output(), /✓ pool warm \([\d.]+ s after the start\): 2 runners idle\n/);
    const [, first = ''] = /✓ job hello \([\d.]+ s after the start\): success, by (\S+), whose/.exec(up.output()) ?? [];
    const [, desk = '', body = ''] = /curl (\S+\/_world\/jobs) -d '(.+)'\n/.exec(up.output()) ?? [];
    const script = { ...(JSON.parse(body) as object), script: 'sw_vers -productVersion' };
    await fetch(desk, { method: 'POST', body: JSON.stringify(script) });
    const second = await eventually(async () => {
      const done = /: success, by (\S+)\n$/.exec(await (await fetch(desk)).text())?.[1];
      return done !== first && done;
    });
    const done = [first, second].map(name => `pod/${name}`);
    const gone = async (): Promise<boolean> =>
      (await names('pods', '-n', 'tuist-runners')).every(pod => !done.includes(pod));
    await eventually(gone, { what: `${first} and ${second} are gone`, deadline: seconds(180) });
    const jsonpath = 'jsonpath={.status.idle} {.status.ended.JobDone}';
    const pool = (): Promise<string> =>
      up.tool('kubectl', 'get', 'rpool', 'warm', '-n', 'tuist-runners', '-o', jsonpath);
    await eventually(async () => (await pool()) === '2 2', { what: 'two idle after two jobs', deadline: seconds(180) });
  });

  test('with no more rights than it ships with, the provider grows a fleet onto the last Mac and gives one back', async () => {
    await up.tool('kubectl', 'scale', 'machinedeployment', 'macos', '--replicas=4');
    await eventually(async () => (await readyMachines()) === 10, { what: 'a tenth machine', deadline: seconds(180) });
    await up.tool('kubectl', 'scale', 'machinedeployment', 'macos', '--replicas=3');
    await eventually(async () => (await claims()) === 9, { what: 'a host given back', deadline: seconds(180) });
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
    assert.ok(folders.length >= (noHostNetwork === false ? 9 : 1), 'the folders of the Macs are found');
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
