import type { Forge } from '../forge.ts';

export type CallName = Exclude<keyof Forge, 'name' | 'url'>;

/** A call as it was made; what it does not take is absent. */
export interface ForgeCall {
  readonly call: CallName;
  /** Name of the runner. */
  readonly runner?: string;
  readonly id?: number;
  /** Version of the runner. */
  readonly version?: string;
}
