import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENT_DIRECTORIES } from '@minifleet/host';
import { parseAgentFlags } from './flags.ts';

test('the agent accepts the flags that a bootstrap writes (I29)', () => {
  const flags = parseAgentFlags(
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

test('without flags the Node has the lower-case name of the Mac, and garbage collection is on', () => {
  const { nodeName, disableVmGc, port, hostCpu } = parseAgentFlags([], 'Mini-01.local');
  assert.deepEqual([nodeName, disableVmGc, port, hostCpu], ['mini-01.local', false, 10_250, undefined]);
});

for (const [argv, message] of [
  [['--surprise'], /Unknown option '--surprise'/],
  [['--max-pods=many'], /--max-pods many is not a whole number/],
  [['--log-level=loud'], /--log-level loud is none of debug, info, warn, error/],
] as const)
  test(`the agent rejects ${argv.join()} with an error that names --help`, () => {
    assert.throws(() => parseAgentFlags(argv, 'mini'), message);
    assert.throws(() => parseAgentFlags(argv, 'mini'), /run `tart-kubelet --help`/);
  });

test('the agent has no boot timeout of its own without --boot-timeout-seconds', () => {
  assert.equal(parseAgentFlags([], 'mini').bootTimeoutSeconds, undefined);
  assert.equal(parseAgentFlags(['--boot-timeout-seconds=60'], 'mini').bootTimeoutSeconds, 60);
});

test('the default folders of the agent are the folders that a bootstrap creates', () => {
  const { stateDirectory, logDirectory } = parseAgentFlags([], 'mini-01');
  assert.deepEqual([stateDirectory, logDirectory], AGENT_DIRECTORIES);
});

test('a count of 0 means unset, as the previous bootstrap wrote it', () => {
  const { hostCpu, maxPods, bootTimeoutSeconds, port } = parseAgentFlags(
    ['--host-cpu=0', '--max-pods=0', '--boot-timeout-seconds=0', '--port=0'],
    'mini',
  );
  assert.deepEqual([hostCpu, maxPods, bootTimeoutSeconds, port], [undefined, 3, undefined, 0]);
});
