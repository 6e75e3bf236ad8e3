import { annotations } from '@minifleet/api/names';
import type { Pod } from '@minifleet/kube';
import type { Refusal } from './field-rule.ts';

const asked = ({ metadata }: Pod): string | undefined => metadata.annotations?.[annotations.screen];

/** Whether the Pod's guest is started with a screen. Asked at each start: a change counts from the next run on. */
export const wantsScreen = (pod: Pod): boolean => asked(pod) === 'true';

/** A word that is neither yes nor no would else mean no, and nobody would be told. */
export function refuseScreen(pod: Pod): Refusal | undefined {
  const word = asked(pod);
  if (word === undefined || word === 'true' || word === 'false') return undefined;
  const message = `metadata.annotations["${annotations.screen}"] is not supported: it is "true" or "false", not ${JSON.stringify(word)}`;
  return { reason: 'ScreenNotSupported', message };
}
