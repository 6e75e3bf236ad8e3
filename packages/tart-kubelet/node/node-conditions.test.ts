import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fails, holds, notCheckedYet, unknown } from './finding.ts';
import { judgeNode } from './node-conditions.ts';
import { wellLooks } from './testing/node-for-tests.ts';

const vitals = wellLooks.vitals ?? assert.fail();
const disk = wellLooks.disk ?? assert.fail();
const words = (looks = wellLooks, before = {}) =>
  Object.fromEntries(
    Object.entries(judgeNode(looks, before)).map(([type, { status, reason }]) => [type, `${status} ${reason}`]),
  );

test('a healthy Mac reports the condition reasons of a kubelet', () => {
  assert.deepEqual(words(), {
    MemoryPressure: 'False KubeletHasSufficientMemory',
    DiskPressure: 'False KubeletHasNoDiskPressure',
    PIDPressure: 'False KubeletHasSufficientPID',
    GUISessionReady: 'True AquaSession',
    TartReady: 'True TartAnswers',
    ImageStoreHealthy: 'True ImagesListed',
    ForeignVMs: 'False NoForeignVMs',
    CertificatesReady: 'True CertificatesValid',
    Ready: 'True KubeletReady',
  });
});

test('memory, disk and PID pressure have the condition reasons of a kubelet', () => {
  const pressed = {
    ...vitals,
    memoryPressureLevel: 4,
    processes: 2_700,
    maxProcesses: 2_784,
  };
  const { MemoryPressure, DiskPressure, PIDPressure, Ready } = words({
    ...wellLooks,
    vitals: pressed,
    disk: { ...disk, totalBytes: 100, freeBytes: 9 },
  });
  assert.deepEqual(
    [MemoryPressure, DiskPressure, PIDPressure, Ready],
    [
      'True KubeletHasInsufficientMemory',
      'True KubeletHasDiskPressure',
      'True KubeletHasInsufficientPID',
      'True KubeletReady',
    ],
  );
});

test('DiskPressure does not flap at its threshold and stays unchanged while the disk is unreadable', () => {
  const at = (freeBytes: number | undefined, pressed: boolean): string =>
    judgeNode(
      { ...wellLooks, disk: freeBytes === undefined ? undefined : { ...disk, totalBytes: 1_000, freeBytes } },
      { DiskPressure: pressed ? holds('x', 'x') : fails('x', 'x') },
    ).DiskPressure.status;
  assert.deepEqual(
    [at(101, false), at(99, false), at(101, true), at(119, true), at(121, true)],
    ['False', 'True', 'True', 'True', 'False'],
  );
  assert.deepEqual([at(undefined, true), at(undefined, false)], ['True', 'False']);
});

test('DiskPressure and ImageStoreHealthy both report a disk with 5 % free', () => {
  const { DiskPressure, ImageStoreHealthy } = words({
    ...wellLooks,
    disk: { ...disk, totalBytes: 1_000, freeBytes: 50 },
  });
  assert.deepEqual([DiskPressure, ImageStoreHealthy], ['True KubeletHasDiskPressure', 'False OutOfSpace']);
  const relieved = { ...wellLooks, disk: { ...disk, totalBytes: 1_000, freeBytes: 60 } };
  assert.equal(words(relieved, { ImageStoreHealthy: fails('OutOfSpace', 'x') }).ImageStoreHealthy, 'False OutOfSpace');
});

test('ForeignVMs does not make the Node NotReady', () => {
  const vms = [{ name: 'packer', running: true, bytes: 0 }];
  const { ForeignVMs, Ready } = words({ ...wellLooks, vms });
  assert.deepEqual([ForeignVMs, Ready], ['True ForeignVMsRunning', 'True KubeletReady']);
  assert.equal(words({ ...wellLooks, vms: undefined }).ForeignVMs, 'Unknown NotCheckedYet');
});

test('the Ready condition is False with a reason while the Node cannot run Pods', () => {
  const reason = (looks: Partial<typeof wellLooks>): string => {
    const { status, message } = judgeNode({ ...wellLooks, ...looks }).Ready;
    return `${status}: ${message}`;
  };
  assert.equal(reason({ guestsRecovered: false }), 'False: guests are still being recovered');
  assert.equal(
    reason({ guiSession: fails('NoAquaSession', 'no GUI session'), tart: fails('TartFailed', 'killed') }),
    'False: GUISessionReady: no GUI session; TartReady: killed',
  );
  assert.equal(reason({ guiSession: undefined }), 'False: GUISessionReady: not checked yet');
  assert.equal(reason({ guiSession: unknown('SessionCheckFailed', 'x') }), 'True: kubelet is posting ready status');
  assert.equal(
    reason({ imageStore: fails('x', 'x'), certificates: notCheckedYet }),
    'True: kubelet is posting ready status',
  );
});
