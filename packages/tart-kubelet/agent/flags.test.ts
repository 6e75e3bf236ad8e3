import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENT_DIRECTORIES } from '@minifleet/host';
import { HELP, parseFlags } from './flags.ts';

test('the flags a bootstrap writes are taken as they are (I29)', () => {
  const flags = parseFlags(
    [
      '--node-name=mini-01',
      '--kubeconfig=/etc/tart-kubelet/kubeconfig',
      '--host-cpu=8',
      '--host-memory-mb=16384',
      '--max-pods=2',
      '--node-labels=tuist.dev/fleet=builders',
      '--provider-id=scw-applesilicon://fr-par-1/4a6d',
      '--disable-vm-gc',
    ],
    'ignored',
  );
  const { nodeName, hostCpu, hostMemoryMb, maxPods, labels, providerId, disableVmGc } = flags;
  assert.deepEqual(
    { nodeName, hostCpu, hostMemoryMb, maxPods, labels, providerId, disableVmGc },
    {
      nodeName: 'mini-01',
      hostCpu: 8,
      hostMemoryMb: 16_384,
      maxPods: 2,
      labels: { 'tuist.dev/fleet': 'builders' },
      providerId: 'scw-applesilicon://fr-par-1/4a6d',
      disableVmGc: true,
    },
  );
});

test('without flags the Mac is called by its own name, in small letters, and keeps its guests tidy', () => {
  const { nodeName, disableVmGc, port, hostCpu } = parseFlags([], 'Mini-01.local');
  assert.deepEqual([nodeName, disableVmGc, port, hostCpu], ['mini-01.local', false, 10_250, undefined]);
});

for (const [argv, words] of [
  [['--surprise'], /Unknown option '--surprise'/],
  [['--max-pods=many'], /--max-pods many is not a whole number/],
  [['--log-level=loud'], /--log-level loud is none of debug, info, warn, error/],
] as const)
  test(`${argv.join()} is refused in words that lead on`, () => {
    assert.throws(() => parseFlags(argv, 'mini'), words);
    assert.throws(() => parseFlags(argv, 'mini'), /run `tart-kubelet --help`/);
  });

test('how long a boot may take is left to the Pods unless it is said', () => {
  assert.equal(parseFlags([], 'mini').bootTimeoutSeconds, undefined);
  assert.equal(parseFlags(['--boot-timeout-seconds=60'], 'mini').bootTimeoutSeconds, 60);
});

test('every flag is explained', () => {
  for (const flag of [
    'node-name',
    'kubeconfig',
    'node-labels',
    'provider-id',
    'node-ip',
    'disable-vm-gc',
    'golden-images',
    'boot-timeout-seconds',
  ])
    assert.ok(HELP.includes(`--${flag}`), flag);
});

test('the folders the agent writes to are those a host is given for it', () => {
  const { stateDirectory, logDirectory } = parseFlags([], 'mini-01');
  assert.deepEqual([stateDirectory, logDirectory], AGENT_DIRECTORIES);
});
