import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { seconds } from '@minifleet/clock';
import type { Chance } from '../../chance.ts';
import type { Fault, FaultPlan, FaultPoint } from '../../faults/fault-plan.ts';
import type { HostFault, HostFile } from './host-file.ts';

interface HostFaultOptions {
  readonly directory: string | undefined;
  readonly chance: Chance;
  readonly host: () => HostFile;
}

/** The fault plan of `host.json`. Each call of tart is a process of its own, so a strike is counted by a file that only one can create. */
export function hostFaults({ directory, chance, host }: HostFaultOptions): FaultPlan {
  return {
    add: () => undefined,
    clear: () => undefined,
    strike(point) {
      for (const [index, rule] of (host().faults ?? []).entries()) {
        if (!fits(rule, point) || chance.next() >= (rule.probability ?? 1)) continue;
        if (rule.times === undefined || claim(directory, `${index}`, rule.times)) return faultOf(rule);
      }
      return undefined;
    },
  };
}

const fits = (rule: HostFault, point: FaultPoint): boolean =>
  rule.kind === point.kind && new RegExp(rule.matches).test(point.detail);

function claim(directory: string | undefined, rule: string, times: number): boolean {
  if (directory === undefined) return true;
  mkdirSync(join(directory, 'strikes'), { recursive: true });
  for (let strike = 0; strike < times; strike++) {
    try {
      closeSync(openSync(join(directory, 'strikes', `${rule}.${strike}`), 'wx'));
      return true;
    } catch {
      // Another call has used this one up.
    }
  }
  return false;
}

const faultOf = (rule: HostFault): Fault =>
  rule.fault.type === 'delay' ? { type: 'delay', by: seconds(rule.fault.seconds) } : rule.fault;
