import { systemClock } from '@minifleet/clock';
import { type Client, silentLog } from '@minifleet/kube';
import type { NodeOptions } from '../create-node.ts';
import { holds } from '../finding.ts';
import { factsForTests, settingsForTests } from './node-for-tests.ts';

/** A healthy Mac; tests change single properties. */
export const wellOptions = (name: string, client: Client): NodeOptions => ({
  client,
  clock: systemClock,
  log: silentLog,
  events: { record: () => undefined, flush: async () => undefined },
  settings: settingsForTests({ name }),
  facts: factsForTests,
  nodeIp: '10.32.0.9',
  interfaces: () => ({}),
  run: async () => ({ exitCode: 0, stdout: '', stderr: '' }),
  tart: { version: async () => '2.32.1' },
  vms: async () => [],
  images: { list: async () => [{ names: ['ghcr.io/acme/macos@sha256:aa'], sizeBytes: 50_000_000_000 }] },
  ownImages: () => new Map(),
  promisedBytes: () => 0,
  guiSession: async () => holds('AquaSession', 'a session is open'),
  diskPath: '/',
  certificates: () => holds('CertificatesValid', 'certificates are valid'),
  guestsRecovered: () => true,
});
