import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { type RunningUp, startUp } from './minifleet-up.ts';
import { normalizeStart } from './testing/normalize-start.ts';
import { findProcesses, readProcFile } from './testing/processes.ts';

/** Root folders of the Macs, from the command lines of their agents. */
const macFolders = (pids: readonly string[]): string[] =>
  pids.flatMap(pid => /--state-dir=(\S+)\/var\/lib/.exec(readProcFile(pid, 'cmdline'))?.[1] ?? []);

describe('minifleet up', () => {
  let up: RunningUp;
  before(async () => {
    up = await startUp();
  });
  after(() => up.signal('SIGKILL'));

  const names = async (...what: readonly string[]): Promise<string[]> =>
    (await up.tool('kubectl', 'get', ...what, '-o', 'name')).split('\n').filter(name => name !== '');
  const claimed = async (): Promise<number> =>
    (await up.tool('kubectl', 'get', 'machosts', '-o', 'jsonpath={.items[*].spec.consumerRef.name}')).split(' ').length;
  const readyMachines = async (): Promise<number> => {
    const path = '{range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
    return (await up.tool('kubectl', 'get', 'samm', '-o', `jsonpath=${path}`)).split('\n').filter(one => one === 'True')
      .length;
  };

  const printedLine = (command: string): string => {
    const [line] = new RegExp(`minifleet ${command} .+`).exec(up.output()) ?? [];
    assert.ok(line, `up prints a line for ${command}`);
    return line;
  };

  test('up prints the versions and the address of the cluster', () => {
    assert.match(
      up.output(),
      /Kubernetes v1\.36\.\d+ with Cluster API v1\.14\.\d+ and 9 Minifleet CRDs runs at https:/,
    );
    assert.match(up.output(), /starting kube-apiserver/);
  });

  test('docs/screens/npm-start.txt matches the output of up', { skip: noHostNetwork }, () => {
    const recorded = readFileSync(new URL('../docs/screens/npm-start.txt', import.meta.url), 'utf8');
    assert.deepEqual(
      normalizeStart(up.output()),
      normalizeStart(recorded),
      'record it again: npm start > docs/screens/npm-start.txt',
    );
  });

  test('kubectl lists the CRDs of Minifleet', async () => {
    const crds = await up.tool('kubectl', 'get', 'crds', '-o', 'name');
    for (const name of [
      'scalewayapplesiliconmachines.infrastructure.cluster.x-k8s.io',
      'macmachines.infrastructure.cluster.x-k8s.io',
      'externalcontrolplanes.controlplane.cluster.x-k8s.io',
      'machosts.minifleet.dev',
    ]) {
      assert.ok(crds.includes(`/${name}\n`), name);
    }
  });

  test('kubectl explain describes a field of the machine', async () => {
    const text = await up.tool('kubectl', 'explain', 'samm.spec.adoptPoolPrefix');
    assert.match(text.replace(/\s+/g, ' '), /Hosts whose name at the vendor starts with this prefix can be adopted/);
  });

  test('Cluster API clones machines from the template of each MachineDeployment', async () => {
    await up.tool('kubectl', 'apply', '--validate=strict', '-f', 'docs/examples/three-fleets.yaml');
    const { items } = JSON.parse(await up.tool('kubectl', 'get', 'samm', '-o', 'json')) as { items: ClonedMachine[] };
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

  test('the API server rejects an invalid OS image and names valid ones', async () => {
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

  test('the printed ssh command opens a session on a simulated Mac', async () => {
    const [, config = '', name = ''] = /ssh -F (\S+) (\S+)/.exec(up.output()) ?? [];
    const { stdout } = await promisify(execFile)('ssh', ['-F', config, name, 'sw_vers -productName; whoami']);
    assert.equal(stdout, 'macOS\nm1\n');
  });

  test('nine Macs become Ready Nodes of three Available fleets, and up prints the time of each fleet', async () => {
    const printed = [
      ...up.output().matchAll(/✓ fleet (\S+) \([\d.]+ s after the start\): (\d) Macs are Ready Nodes\n/g),
    ];
    assert.deepEqual(printed.map(([, fleet, macs]) => `${fleet} ${macs}`).toSorted(), [
      'builders 2',
      'macos 3',
      'runners 4',
    ]);
    await up.tool('kubectl', 'wait', 'machinedeployment', '--all', '--for=condition=Available', '--timeout=180s');
    assert.match(
      await up.tool('kubectl', 'get', 'machosts'),
      / Serving +tuist-pool- +runners-\S+ +runners-\S+ +macos-tahoe-/,
    );
  });

  test('up offers minifleet and its kubectl plugin in PATH', async () => {
    assert.match(await up.tool('minifleet', 'get', 'fleets'), /\ndefault +builders +Ready +2\/2 /);
    assert.match(await up.tool('kubectl-minifleet', '--help'), /^Usage: kubectl minifleet /);
  });

  test('I19 the printed break command injects a fault, and reports its repair with the time', {
    skip: noHostNetwork,
  }, async () => {
    const [line = ''] = /minifleet break \S+/.exec(up.output()) ?? [];
    const { code, output, errors } = await up.minifleet(`${line} --wait`);
    assert.equal(code, 0, output + errors);
    assert.match(output, /! I19 on (macos|runners)-\S+: overwrote /);
    assert.match(output, /✓ repaired after [\d.]+ s: the original binary is restored/);
  });

  test('the printed host commands converge a spare Mac, show its drift, and repair it', async () => {
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
    assert.match(broken.output, /\n1 of \d+ steps differs; converge would change it \(disturbs nothing\)\n$/);
    const repaired = await up.minifleet(printedLine('host converge'));
    assert.equal(repaired.code, 0, repaired.output + repaired.errors);
    assert.match(repaired.output, /vm-egress changed after /);
    const { code, output } = await up.minifleet(printedLine('host plan'));
    assert.equal(code, 0, output);
    assert.match(output, /^STEP +STATE +DISTURBS +DIFFERENCE\nsudo +✓ current\nauto-login +✓ current\n/);
  });

  test('the example Pod runs on a Mac, and kubectl logs and exec reach its guest', {
    skip: noHostNetwork,
  }, async () => {
    await up.tool('kubectl', 'apply', '--validate=strict', '-f', 'docs/examples/first-pod.yaml');
    await up.tool('kubectl', 'wait', 'pod/first', '--for=condition=Ready', '--timeout=180s');
    const log = await eventually(async () => {
      const text = await up.tool('kubectl', 'logs', 'first');
      return text.includes('hello') && text;
    });
    assert.match(log, /^26\.3\nhello from (macos|runners)-\S+\n$/);
    assert.equal(await up.tool('kubectl', 'exec', 'first', '--', 'echo', 'inside'), 'inside\n');
  });

  test('the warm runners run the first job and the printed one in one VM each, and are replaced', {
    skip: noHostNetwork,
  }, async () => {
    assert.match(up.output(), /✓ pool warm \([\d.]+ s after the start\): 2 runners idle\n/);
    const [, first = ''] = /✓ job hello \([\d.]+ s after the start\): success on (\S+), whose/.exec(up.output()) ?? [];
    const [, desk = '', body = ''] = /curl (\S+\/_world\/jobs) -d '(.+)'\n/.exec(up.output()) ?? [];
    const script = { ...(JSON.parse(body) as object), script: 'sw_vers -productVersion' };
    await fetch(desk, { method: 'POST', body: JSON.stringify(script) });
    const second = await eventually(async () => {
      const done = /: success, runner (\S+)\n$/.exec(await (await fetch(desk)).text())?.[1];
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

  test('the provider scales a fleet up to the last Mac and down again with its shipped permissions', async () => {
    await up.tool('kubectl', 'scale', 'machinedeployment', 'macos', '--replicas=4');
    await eventually(async () => (await readyMachines()) === 10, { what: 'a tenth machine', deadline: seconds(180) });
    await up.tool('kubectl', 'scale', 'machinedeployment', 'macos', '--replicas=3');
    await eventually(async () => (await claimed()) === 9, { what: 'a returned host', deadline: seconds(180) });
  });

  test('clusterctl and helm reach the cluster', async () => {
    assert.match(await up.tool('clusterctl', 'describe', 'cluster', 'minifleet'), /MachineDeployment default\/runners/);
    assert.match(await up.tool('helm', 'list', '--all-namespaces'), /NAMESPACE/);
  });

  test('Ctrl-C ends up with exit code 0 and leaves no process and no file', async () => {
    const folder = dirname(up.tools);
    const processes = findProcesses(folder);
    const folders = [folder, ...macFolders(processes)];
    assert.ok(processes.length >= 5, 'finds the programs while they run');
    assert.ok(folders.length >= (noHostNetwork === false ? 9 : 1), 'finds the folders of the Macs');
    assert.equal(await up.signal('SIGINT'), 0);
    assert.deepEqual(findProcesses(folder), []);
    assert.deepEqual(
      folders.filter(each => existsSync(each)),
      [],
    );
  });
});

interface ClonedMachine {
  readonly metadata: {
    readonly annotations: Record<string, string>;
    readonly ownerReferences: readonly { readonly kind: string }[];
  };
  readonly spec: { readonly os: string; readonly adoptPoolPrefix: string; readonly type: string };
}
