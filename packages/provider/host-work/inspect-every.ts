import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import { type Duration, minutes } from '@minifleet/clock';
import { findCondition } from '@minifleet/kube';

/** Only the host can tell why its runner is away, and be mended. */
const WHILE_MISSED = minutes(1);

const MISSED: readonly (string | undefined)[] = ['RunnerNotRegistered', 'RunnerOffline'];

/** How often a host is looked at: sooner than usual while the forge does not see its builder's runner. 0 is never. */
export function inspectEvery(samm: ScalewayAppleSiliconMachine, usual: Duration): Duration {
  if (!MISSED.includes(findCondition(samm, 'BuilderRunnerOnline')?.reason)) return usual;
  return usual === 0 || usual > WHILE_MISSED ? WHILE_MISSED : usual;
}
