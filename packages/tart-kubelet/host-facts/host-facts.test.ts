import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { createTestMac } from '@minifleet/world/testing/mac';
import { chooseAddress, type NetworkInterfaces, readTailscaleIp } from './choose-address.ts';
import {
  countProcesses,
  type HostCommandOutput,
  hostFacts,
  parsePlatformUuid,
  readHostFacts,
  readHostVitals,
} from './host-facts.ts';

import { createLocalCommand, type RunLocalCommand } from './local-command.ts';

const answers: HostCommandOutput = {
  swVers: 'ProductName:\t\tmacOS\nProductVersion:\t\t26.3\nBuildVersion:\t\t25D125\n',
  uname: '25.3.0\n',
  sysctl:
    'hw.ncpu: 8\nhw.memsize: 17179869184\nhw.model: Macmini9,1\nkern.bootsessionuuid: 7D9A3B5C-0D1E-4F2A-8B3C-4D5E6F708192\n' +
    'kern.boottime: { sec = 1893456000, usec = 0 } Tue Jan  1 00:00:00 2030\n',
  ioreg:
    '+-o J274AP  <class IOPlatformExpertDevice, id 0x100000227, registered, matched, active, busy 0 (13 ms), retain 41>\n' +
    '    {\n      "compatible" = <"J274AP","Macmini9,1","AppleARM">\n      "IOPlatformSerialNumber" = "C07XXXXXQ6NV"\n' +
    '      "IOPlatformUUID" = "4A6D1F3E-93B1-5C2D-8E4F-0A1B2C3D4E5F"\n    }\n',
  nodeName: 'mini-01',
};

/** A Mac that gives recorded answers; what is not recorded is a command that does not exist. */
const recorded =
  (outputs: Readonly<Record<string, string>>): RunLocalCommand =>
  async ([command]) => ({
    exitCode: outputs[command] === undefined ? undefined : 0,
    stdout: outputs[command] ?? '',
    stderr: '',
  });

test('host facts are parsed from the output of macOS', () => {
  assert.deepEqual(hostFacts(answers), {
    macosVersion: '26.3',
    macosBuild: '25D125',
    kernelVersion: '25.3.0',
    machineId: '4a6d1f3e-93b1-5c2d-8e4f-0a1b2c3d4e5f',
    bootId: '7d9a3b5c-0d1e-4f2a-8b3c-4d5e6f708192',
    model: 'Macmini9,1',
    cpus: 8,
    memoryBytes: 17_179_869_184,
  });
});

test('host facts of a Mac without any output are stable and not empty', () => {
  const silent = { swVers: '', uname: '', sysctl: '', ioreg: '', nodeName: 'mini-01' };
  const facts = hostFacts(silent);
  for (const [name, value] of Object.entries(facts)) assert.notEqual(value, '', name);
  assert.match(facts.machineId, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(hostFacts(silent), facts);
  assert.notEqual(hostFacts({ ...silent, nodeName: 'mini-02' }).machineId, facts.machineId);
});

test('the boot ID is derived from the boot time if there is no boot session UUID', () => {
  const at = (second: number): string =>
    hostFacts({ ...answers, sysctl: `kern.boottime: { sec = ${second}, usec = 0 } some day` }).bootId;
  assert.equal(at(1), at(1));
  assert.notEqual(at(1), at(2));
});

test('readHostFacts runs each command once', async () => {
  const asked: string[] = [];
  const outputs = { sw_vers: answers.swVers, uname: answers.uname, sysctl: answers.sysctl, ioreg: answers.ioreg };
  const facts = await readHostFacts(async argv => {
    asked.push(argv[0]);
    return recorded(outputs)(argv);
  }, 'mini-01');
  assert.deepEqual(asked.sort(), ['ioreg', 'sw_vers', 'sysctl', 'uname']);
  assert.deepEqual(facts, hostFacts(answers));
});

test('host facts of a simulated Mac are complete', async () => {
  const { run } = createTestMac();
  const facts = await readHostFacts(async argv => {
    const { code, out, err } = await run(argv.join(' '));
    return { exitCode: code, stdout: out, stderr: err };
  }, 'mini-01');
  assert.deepEqual({ ...facts, machineId: '', bootId: '' }, { ...hostFacts(answers), machineId: '', bootId: '' });
  assert.match(facts.machineId, /^[0-9a-f-]{36}$/);
});

test('unparsable command output is no host fact', () => {
  assert.equal(parsePlatformUuid('"IOPlatformUUID" = "no uuid"'), undefined);
  assert.equal(countProcesses('ps: illegal option'), undefined);
});

test('host vitals contain memory pressure, process counts and disk space', async () => {
  const run = recorded({
    sysctl: 'kern.memorystatus_vm_pressure_level: 2\nkern.maxproc: 2784\n',
    ps: '    1\n  307\n 4012\n',
  });
  const vitals = await readHostVitals(run, '/');
  assert.ok(vitals.disk && vitals.disk.totalBytes > vitals.disk.freeBytes);
  assert.deepEqual(
    { ...vitals, disk: undefined },
    {
      disk: undefined,
      memoryPressureLevel: 2,
      processes: 3,
      maxProcesses: 2784,
    },
  );
  assert.equal((await readHostVitals(run, '/no/such/volume')).disk, undefined);
});

const at = (address: string, internal = false): never =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4', netmask: '', mac: '', cidr: null }) as never;
const interfaces: NetworkInterfaces = {
  lo0: [at('127.0.0.1', true)],
  bridge100: [at('192.168.64.1')],
  vmenet0: [at('169.254.3.4')],
  utun3: [at('100.64.0.7')],
  en0: [at('fe80::1'), at('2001:db8::5'), at('10.32.0.9')],
};

test('the Node address is that of the wired network, not of guests, loopback or a tunnel', () => {
  assert.equal(chooseAddress(interfaces), '10.32.0.9');
  assert.equal(chooseAddress({ ...interfaces, en0: [] }), '100.64.0.7');
  assert.equal(chooseAddress({ en0: [at('fe80::1'), at('2001:db8::5')] }), '2001:db8::5');
  assert.equal(chooseAddress({ lo0: [at('127.0.0.1', true)] }), undefined);
});

test('a Node address that the operator sets has precedence', () =>
  assert.equal(chooseAddress(interfaces, '203.0.113.4'), '203.0.113.4'));

test('the tailnet address is read from tailscale, and a missing one is NODE_ADDRESS_UNKNOWN', async () => {
  assert.equal(await readTailscaleIp(recorded({ tailscale: '100.101.102.103\n' })), '100.101.102.103');
  await assert.rejects(readTailscaleIp(recorded({})), { code: 'NODE_ADDRESS_UNKNOWN' });
});

test('a local command that is missing or hangs returns a result without an exit code', async () => {
  const run = createLocalCommand({ environment: { PATH: '/usr/bin:/bin' }, within: seconds(0.1) });
  assert.equal((await run(['no-such-command'])).exitCode, undefined);
  assert.equal((await run(['sleep', '30'])).exitCode, undefined);
  assert.deepEqual(await run(['sh', '-c', 'echo out; echo err >&2; exit 3']), {
    exitCode: 3,
    stdout: 'out\n',
    stderr: 'err\n',
  });
});
