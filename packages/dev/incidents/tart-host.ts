import { type HostFile, makeTart, type SimulatedTart, startRegistry } from '@minifleet/world/testing';
import type { OldWayEnv } from './old-way-env.ts';

/** Runs a procedure on a host with the world's `tart` executable, whose own clock runs fast. */
export async function withTart(
  env: OldWayEnv,
  host: HostFile,
  use: (tart: SimulatedTart) => Promise<string>,
): Promise<string> {
  const registry = await startRegistry({ deps: env.surroundings });
  const tart = makeTart({ ...host, registries: { 'ghcr.io': registry.url } });
  try {
    return await use(tart);
  } finally {
    await tart.cleanUp();
    await registry.stop();
  }
}
