import assert from 'node:assert/strict';
import { execute } from '@minifleet/world/mac';
import { converge } from '../../engine/converge.ts';
import type { Plan } from '../../engine/plan.ts';
import type { ConvergeOptions, ConvergeReport } from '../../engine/report.ts';
import { openHost } from '../../open-host.ts';
import { type MacState, macState } from '../mac-state.ts';
import { passTime, type TestHost } from '../test-host.ts';

export const bring = (given: TestHost, plan: Plan, options: Partial<ConvergeOptions> = {}): Promise<ConvergeReport> => {
  const { host, clock, redactor } = given;
  const how = { holder: 'anna@laptop', allow: 'running VMs', reboot: 'when needed', redactor } as const;
  return passTime(clock, converge(host, plan, { ...how, ...options }));
};

/** Another caller of the same host, with a connection of its own. */
export const anotherCaller = ({ transport, clock, redactor, host }: TestHost): TestHost['host'] =>
  openHost({ transport, user: host.user, clock, redactor });

/** A host that is as the plan wants it, agent running. */
export async function convergedHost(makeHost: () => TestHost, plan: Plan): Promise<TestHost> {
  const given = makeHost();
  const { outcome, error } = await bring(given, plan);
  assert.equal(outcome, 'converged', error?.message ?? 'no error');
  return given;
}

/** Shell text as root, as someone at the host would type it. */
export const byHand = async (given: TestHost, script: string): Promise<void> => {
  const { code, err } = await passTime(given.clock, execute(given.mac, script, { user: given.root }));
  assert.equal(code, 0, err);
};

/**
 * Regressions compared with `before`; empty if the host serves as before: sessions, running pids, filtering and
 * existing files are unchanged. Additional files are ignored.
 */
export function worse(before: MacState, after: MacState): string[] {
  const gone = before.sessions.filter(uid => !after.sessions.includes(uid)).map(uid => `session of ${uid} is gone`);
  return [
    ...gone,
    ...changed('file', before.files, after.files),
    ...changed('job', before.jobs, after.jobs),
    ...changed('pid of', before.pids, after.pids),
    ...changed('filter at', before.filter, after.filter),
    ...(before.filterEnabled && !after.filterEnabled ? ['the filter is off'] : []),
  ];
}

const changed = (what: string, before: object, after: object): string[] =>
  Object.entries(before).flatMap(([name, value]) => {
    const now: unknown = (after as Readonly<Record<string, unknown>>)[name];
    return JSON.stringify(now) === JSON.stringify(value)
      ? []
      : [`${what} ${name}: ${String(value)} became ${String(now)}`];
  });

export const stateOf = ({ mac }: TestHost): MacState => macState(mac);
