/** A Mac and its settings as tests want them: everything known, everything well. */
import type { MacFacts } from '../../host-facts/host-facts.ts';
import { accountDisk } from '../../images/disk-account.ts';
import { holds } from '../finding.ts';
import { judgeNode, type NodeObservations } from '../node-conditions.ts';
import type { NodeSettings } from '../node-settings.ts';
import { type NodeStatusInput, nodeStatus, type OwnedNodeStatus } from '../node-status.ts';

export const factsForTests: MacFacts = {
  macosVersion: '26.3',
  macosBuild: '25D125',
  kernelVersion: '25.3.0',
  machineId: '4a6d1f3e-93b1-5c2d-8e4f-0a1b2c3d4e5f',
  bootId: '7d9a3b5c-0d1e-4f2a-8b3c-4d5e6f708192',
  model: 'Macmini9,1',
  cpus: 8,
  memoryBytes: 17_179_869_184,
};

export const settingsForTests = (more: Partial<NodeSettings> = {}): NodeSettings => ({
  name: 'mini-01',
  providerId: 'scw-applesilicon://fr-par-1/4a6d',
  labels: { 'tuist.dev/fleet': 'runners' },
  maxPods: 110,
  vmSlots: 2,
  kubeletPort: 10_250,
  version: '0.1.0',
  declaredFeatures: ['RestartAllContainersOnContainerExits', 'GuaranteedQoSPodCPUResize'],
  ...more,
});

const space = { totalBytes: 494_384_795_648, freeBytes: 200_000_000_000 };

export const wellLooks: NodeObservations = {
  disk: accountDisk({ space, images: [], vms: [], owned: new Map(), promisedBytes: 0 }),
  vitals: {
    disk: space,
    memoryPressureLevel: 1,
    processes: 400,
    maxProcesses: 2_784,
  },
  guiSession: holds('AquaSession', 'a session is open'),
  tart: holds('TartAnswers', 'tart answers'),
  imageStore: holds('ImagesListed', 'images can be listed'),
  vms: [],
  vmSlots: 2,
  certificates: holds('CertificatesValid', 'certificates are valid'),
  guestsRecovered: true,
};

const viewForTests = (more: Partial<NodeStatusInput> = {}): NodeStatusInput => ({
  settings: settingsForTests(),
  facts: factsForTests,
  findings: judgeNode(wellLooks),
  address: '10.32.0.9',
  diskBytes: 494_384_795_648,
  tartVersion: '2.32.1',
  images: [],
  ...more,
});

export const statusForTests = (more: Partial<NodeStatusInput> = {}): OwnedNodeStatus => nodeStatus(viewForTests(more));
