import type { HookOptions } from '../options.ts';

/** One attempt to tell a receiver of an event. A repeated one has an id of its own and the `guid` of the first. */
export interface Delivery {
  readonly id: number;
  readonly guid: string;
  readonly hook: HookOptions;
  readonly event: string;
  readonly action: string;
  readonly redelivery: boolean;
  readonly payload: string;
  readonly installationId: number | undefined;
  readonly repositoryId: number;
  /** Undefined until it was tried. */
  deliveredAt: number | undefined;
  seconds: number;
  /** `OK`, or why not. */
  status: string;
  /** 0 when no answer came. */
  statusCode: number;
}
