import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from '../../engine/plan.ts';
import { hostPlan } from '../../plan/host-plan.ts';
import { fullHost, fullSpec } from '../../plan/testing/full-spec.ts';
import type { TestHost } from '../test-host.ts';

/** A role a host can have: its whole plan, and the freshly imaged Mac it starts from. */
export interface HostRole {
  readonly name: 'node' | 'builder';
  readonly plan: Plan;
  readonly makeHost: () => TestHost;
}

const { builder: _, ...node } = fullSpec.fleet;

/** Both roles with every option there is; the folder holds what Tart leaves and is removed in the end. */
export async function withRoles<T>(use: (roles: readonly HostRole[]) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-proofs-'));
  const makeHost = (): TestHost => fullHost(folder);
  try {
    return await use([
      { name: 'node', plan: hostPlan({ ...fullSpec, fleet: node }), makeHost },
      { name: 'builder', plan: hostPlan(fullSpec), makeHost },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
