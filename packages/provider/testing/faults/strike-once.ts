import type { Meet, Strike } from '../../program/testing/life.ts';
import type { Blow, Way } from './blow.ts';

/** Strikes a program once, at one effect of its. */
export interface StrikingHand<Kind extends string> {
  readonly meet: Meet<Kind>;
  /** True if the program reached that effect. */
  readonly struck: boolean;
  /** Lets the delayed effect continue. */
  letGo(): void;
}

/** `startAnother` starts the process that is faster. */
export function strikeOnce<Kind extends string>(
  blow: Blow<Kind> | undefined,
  startAnother: () => void,
): StrikingHand<Kind> {
  let struck = false;
  let letGo = (): void => undefined;
  const strikes: Readonly<Record<Way, () => Strike>> = {
    'killed before': () => 'killed before',
    'killed after': () => 'killed after',
    refused: () => 'refused',
    'answer lost': () => 'answer lost',
    'another is faster'() {
      const { promise: until, resolve } = Promise.withResolvers<void>();
      letGo = resolve;
      startAnother();
      return { until };
    },
  };
  return {
    meet({ name, nth }) {
      if (struck || !blow || name !== blow.effect.name || nth !== blow.effect.nth) return undefined;
      struck = true;
      return strikes[blow.way]();
    },
    get struck() {
      return struck;
    },
    letGo: () => letGo(),
  };
}
