import type { Duration } from '@minifleet/clock';
import type { Chance } from '../chance.ts';

/** A place where something can go wrong, as it is about to happen. */
export interface FaultPoint {
  /** `mac/mini-01`, `scaleway`, `github`, `registry`. */
  readonly place: string;
  readonly kind: 'connect' | 'request' | 'command' | 'file write' | 'process';
  /** The path, the command line, the endpoint. */
  readonly detail: string;
}

/** What goes wrong. Each place honours those that make sense there and says in its README which. */
export type Fault =
  | { readonly type: 'delay'; readonly by: Duration }
  /** Nothing ever comes back; the connection stays. */
  | { readonly type: 'hang' }
  /** The connection breaks before anything happened, or after all of it did (a lost response). */
  | { readonly type: 'drop'; readonly when: 'before' | 'during' | 'after' }
  /** It fails in its own words: an HTTP status, an exit code. */
  | { readonly type: 'fail'; readonly code: number; readonly message: string; readonly retryAfter?: Duration };

export interface FaultRule {
  readonly place?: string | RegExp;
  readonly kind?: FaultPoint['kind'];
  readonly detail?: string | RegExp;
  readonly fault: Fault;
  /** How often it strikes before it is used up; for ever unless said. */
  readonly times?: number;
  /** How likely it strikes each time; always unless said. */
  readonly probability?: number;
}

/** Asked at every point where something can go wrong. Rules are tried in order; the first that strikes counts. */
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
