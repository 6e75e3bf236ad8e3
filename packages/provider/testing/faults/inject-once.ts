import type { EffectHook, FaultAction } from '../../program/testing/program-run.ts';
import type { EffectFault, FaultMode } from './effect-fault.ts';

/** Injects one fault at one effect of a program. */
export interface FaultInjection<Kind extends string> {
  readonly onEffect: EffectHook<Kind>;
  /** True if the program reached the effect. */
  readonly injected: boolean;
  /** Lets the delayed effect of a `second leader` fault continue. */
  release(): void;
}

/** `startSecond` starts the second leader. */
export function injectOnce<Kind extends string>(
  fault: EffectFault<Kind> | undefined,
  startSecond: () => void,
): FaultInjection<Kind> {
  let injected = false;
  let release = (): void => undefined;
  const actions: Readonly<Record<FaultMode, () => FaultAction>> = {
    'killed before': () => 'killed before',
    'killed after': () => 'killed after',
    rejected: () => 'rejected',
    'response lost': () => 'response lost',
    'second leader'() {
      const { promise: until, resolve } = Promise.withResolvers<void>();
      release = resolve;
      startSecond();
      return { until };
    },
  };
  return {
    onEffect({ name, nth }) {
      if (injected || !fault || name !== fault.effect.name || nth !== fault.effect.nth) return undefined;
      injected = true;
      return actions[fault.mode]();
    },
    get injected() {
      return injected;
    },
    release: () => release(),
  };
}
