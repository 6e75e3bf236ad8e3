import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@minifleet/clock';
import { silentLog } from '@minifleet/kube';
import type { WorldDeps } from '@minifleet/world';
import type { HostFile } from '@minifleet/world/testing';
import { makeTart, type SimulatedTart, startRegistry } from '@minifleet/world/testing';
import type { AuthorizationOptions, Registry } from '@minifleet/world/testing/registry';
import { makeWorldDeps } from '@minifleet/world/testing/tart';
import { createTart, type TartCli } from '../../guests/tart.ts';
import { type ImageLedger, ledgerFile, openImageLedger } from '../image-ledger.ts';
import type { ImageRequest } from '../images.ts';

export const IMAGE = 'ghcr.io/acme/runner:1';

/** A host with a Tart and a registry that answers for ghcr.io, both of the world. */
export interface ImageHost {
  readonly simulated: SimulatedTart;
  readonly registry: Registry;
  readonly surroundings: WorldDeps;
  readonly tart: TartCli;
  /** Every call of Tart so far, by its arguments. */
  readonly calls: readonly string[];
  /** State of the agent. */
  readonly directory: string;
  readonly ledger: ImageLedger;
  change(host: HostFile): void;
}

interface ImageHostOptions {
  readonly host?: HostFile;
  readonly authorization?: AuthorizationOptions;
  /** Clock of the ledger; Tart itself always uses real time. */
  readonly clock?: Clock;
}

export async function openImageHost(
  context: { after(clean: () => Promise<void>): void },
  { host = {}, authorization, clock = systemClock }: ImageHostOptions = {},
): Promise<ImageHost> {
  const surroundings = makeWorldDeps();
  const registry = await startRegistry({ deps: surroundings, ...(authorization ? { authorization } : {}) });
  const settings = { ...host, registries: { 'ghcr.io': registry.url } };
  const simulated = makeTart(settings);
  const { path, home } = simulated;
  const directory = mkdtempSync(join(tmpdir(), 'tart-kubelet-'));
  mkdirSync(join(directory, 'pods'));
  const calls: string[] = [];
  const onCall = (moment: string, argv: readonly string[]): void =>
    void (moment === 'before' && calls.push(argv.join(' ')));
  const environment = { PATH: process.env['PATH'], HOME: home };
  const tart = createTart({ path, home, environment, clock: systemClock, onCall });
  const ledger = await openImageLedger({ file: ledgerFile(join(directory, 'images.json')), clock, log: silentLog });
  context.after(async () => {
    await simulated.cleanUp();
    await registry.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const change = (more: HostFile): void => simulated.change({ ...settings, ...more });
  return { simulated, registry, surroundings, tart, calls, directory, ledger, change };
}

/** A request that wants nothing unusual. */
export const requestFor = (image: string, more: Partial<ImageRequest> = {}): ImageRequest => ({
  image,
  policy: 'IfNotPresent',
  credentials: [],
  onProgress: () => undefined,
  signal: new AbortController().signal,
  ...more,
});
