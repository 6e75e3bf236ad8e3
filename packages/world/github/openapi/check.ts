import type { Request } from '../rest/answer-request.ts';
import type { Answer, Route } from '../rest/route.ts';

/** Holds what goes over the wire against the published description. */
export interface OpenApiCheck {
  request(route: Route, request: Request): void;
  answer(route: Route, answer: Answer): void;
  /** By the name the description gives the event: `workflow-job-queued`. */
  webhook(name: string, payload: unknown): void;
}
