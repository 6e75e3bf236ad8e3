import type { Duration } from '@minifleet/clock';
import type { Chance } from '../chance.ts';

/** A point where a fault can be injected, before the operation happens. */
export interface FaultPoint {
  /** `mac/mini-01`, `scaleway`, `github`, `registry`. */
  readonly place: string;
  readonly kind: 'connect' | 'request' | 'command' | 'file write' | 'process';
  /** The path, the command line, the endpoint. */
  readonly detail: string;
}

/** The injected fault. Each place supports a subset, which its README lists. */
export type Fault =
  | { readonly type: 'delay'; readonly by: Duration }
  /** No response ever comes; the connection stays open. */
  | { readonly type: 'hang' }
  /** The connection breaks before the operation, or after it (a lost response). */
  | { readonly type: 'drop'; readonly when: 'before' | 'during' | 'after' }
  /** The operation fails with an HTTP status or an exit code. */
  | { readonly type: 'fail'; readonly code: number; readonly message: string; readonly retryAfter?: Duration };

export interface FaultRule {
  readonly place?: string | RegExp;
  readonly kind?: FaultPoint['kind'];
  readonly detail?: string | RegExp;
  readonly fault: Fault;
  /** Number of times the rule applies (default: unlimited). */
  readonly times?: number;
  /** Probability for each match (default: 1). */
  readonly probability?: number;
}

/** Queried at every fault point. Rules are tried in order; the first one that applies is used. */
export interface FaultPlan {
  add(rule: FaultRule): void;
  clear(): void;
  strike(point: FaultPoint): Fault | undefined;
}

export function createFaultPlan(chance: Chance, rules: readonly FaultRule[] = []): FaultPlan {
  let active = rules.map(rule => ({ rule, left: rule.times ?? Number.POSITIVE_INFINITY }));
  return {
    add: rule => void active.push({ rule, left: rule.times ?? Number.POSITIVE_INFINITY }),
    clear: () => {
      active = [];
    },
    strike(point) {
      const hit = active.find(
        ({ rule, left }) => left > 0 && matches(rule, point) && chance.next() < (rule.probability ?? 1),
      );
      if (!hit) return undefined;
      hit.left -= 1;
      return hit.rule.fault;
    },
  };
}

const matches = (rule: FaultRule, point: FaultPoint): boolean =>
  (rule.kind === undefined || rule.kind === point.kind) &&
  fits(rule.place, point.place) &&
  fits(rule.detail, point.detail);

const fits = (pattern: string | RegExp | undefined, text: string): boolean =>
  pattern === undefined || (typeof pattern === 'string' ? text === pattern : pattern.test(text));
