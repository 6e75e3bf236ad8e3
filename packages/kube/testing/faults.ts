import { type Clock, type Duration, pause } from '@minifleet/clock';
import { ConnectionError } from '../client/api-error.ts';
import type { ApiRequest, ApiResponse } from '../client/transport.ts';
import { answer } from './server/answer.ts';

/** Selects the requests that a fault hits. An omitted property matches every request. */
export interface RequestMatch {
  readonly method?: ApiRequest['method'];
  readonly path?: string | RegExp;
  /** True for watches only, false for everything else only. */
  readonly watch?: boolean;
}

export interface FaultTarget {
  readonly match?: RequestMatch;
  /** Number of requests that the fault hits (default: 1). */
  readonly times?: number;
}

/** Faults that a test can inject between a client and the server. */
export interface Faults {
  /** The server answers with an error and does nothing. */
  failNext(fault: FaultTarget & { status: number; reason?: string; message?: string; retryAfter?: Duration }): void;
  /** The connection breaks: before the server saw the request, or after it acted on it. */
  dropNext(fault: FaultTarget & { when: 'before' | 'after' }): void;
  /** The server delays the request. */
  delayNext(fault: FaultTarget & { by: Duration }): void;
  /** Every open watch loses its connection. */
  dropWatches(): void;
  /** Every resourceVersion returned so far becomes too old for a watch or a continue token. */
  expireHistory(): void;
  /** Removes all remaining faults. */
  clear(): void;
}

interface PlannedFault {
  readonly match: RequestMatch;
  left: number;
  readonly before?: (request: ApiRequest) => Promise<ApiResponse | undefined>;
  readonly after?: (request: ApiRequest) => void;
}

/** Faults in the order of injection. The transport checks every request against them. */
export class FaultPlan {
  #planned: PlannedFault[] = [];

  add({ match = {}, times = 1 }: FaultTarget, effect: Pick<PlannedFault, 'before' | 'after'>): void {
    this.#planned.push({ match, left: times, ...effect });
  }

  clear(): void {
    this.#planned = [];
  }

  take(request: ApiRequest, watch: boolean): PlannedFault[] {
    const hit = this.#planned.filter(({ match }) => matches(match, request, watch));
    for (const planned of hit) planned.left -= 1;
    this.#planned = this.#planned.filter(planned => planned.left > 0);
    return hit;
  }
}

function matches(match: RequestMatch, request: ApiRequest, watch: boolean): boolean {
  const { path } = match;
  const fits = path instanceof RegExp ? path.test(request.path) : path === undefined || path === request.path;
  return (
    fits &&
    (match.method === undefined || match.method === request.method) &&
    (match.watch === undefined || match.watch === watch)
  );
}

export function createFaults(
  plan: FaultPlan,
  { clock, dropWatches, expireHistory }: Pick<Faults, 'dropWatches' | 'expireHistory'> & { readonly clock: Clock },
): Faults {
  const lost = (request: ApiRequest, unsent: boolean): ConnectionError =>
    new ConnectionError(`${request.method} ${request.path}: connection lost: dropped by a test`, { unsent });
  return {
    failNext: ({ status, reason, message, retryAfter, ...target }) =>
      plan.add(target, { before: async () => failure({ status, reason, message, retryAfter }) }),
    dropNext: ({ when, ...target }) => {
      const drop = (request: ApiRequest): never => {
        throw lost(request, when === 'before');
      };
      plan.add(target, when === 'before' ? { before: async request => drop(request) } : { after: drop });
    },
    delayNext: ({ by, ...target }) =>
      plan.add(target, {
        before: async request => {
          await pause(clock, by, request.signal);
          return undefined;
        },
      }),
    dropWatches,
    expireHistory,
    clear: () => plan.clear(),
  };
}

function failure(fault: {
  status: number;
  reason: string | undefined;
  message: string | undefined;
  retryAfter: Duration | undefined;
}): ApiResponse {
  const { status, reason = 'Unknown', message = 'made to fail by a test', retryAfter } = fault;
  const response = answer(status, {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: status,
    reason,
    message,
  });
  if (retryAfter === undefined) return response;
  return { ...response, headers: { ...response.headers, 'retry-after': String(Math.ceil(retryAfter / 1_000)) } };
}
