import type { ConditionCatalogue } from '@minifleet/api';
import type { Condition, KubeEvent } from '@minifleet/kube/client';
import { age } from '../get/age.ts';

/** Why something is as it is, and what comes next. */
export interface ObjectExplanation {
  /** A few sentences, the state first. */
  readonly sentences: readonly string[];
  /** What a person does, or what is waited for. */
  readonly next: string;
}

/** What every explanation is given beside its objects. */
export interface ExplainContext {
  readonly now: number;
  /** About the object, in any order. */
  readonly events: readonly KubeEvent[];
}

/** The catalogue's sentence on a condition's reason. */
export const meaningOf = (catalogue: ConditionCatalogue, { type, reason }: Condition): string | undefined =>
  catalogue[type]?.reasons[reason];

/** `nobody answers (HostUnreachable, for 3h)`. */
export function conditionSentence({ reason, message, lastTransitionTime }: Condition, now: number): string {
  const since = age(lastTransitionTime, now);
  return `${message === '' ? reason : message} (${[message === '' ? '' : reason, since === '' ? '' : `for ${since}`].filter(Boolean).join(', ')})`;
}

/** The newest warning, unless the condition has said the same. */
export function lastWarning({ events, now }: ExplainContext, said: string): string | undefined {
  const timeOf = ({ series, eventTime, deprecatedLastTimestamp }: KubeEvent): string =>
    series?.lastObservedTime ?? eventTime ?? deprecatedLastTimestamp ?? '';
  const [latest] = events
    .filter(({ type }) => type === 'Warning')
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
  const note = latest?.note ?? '';
  if (!latest || note === '' || said.includes(note)) return undefined;
  return `The last warning was ${age(timeOf(latest), now)} ago: ${sentence(note)}`;
}

/** With a full stop at its end, once. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
