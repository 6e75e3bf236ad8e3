import type { ConditionCatalogue } from '@minifleet/api';
import type { Condition, KubeEvent } from '@minifleet/kube/client';
import { age } from '../get/age.ts';

/** State of an object, its cause and the next action. */
export interface ObjectExplanation {
  /** Sentences, the state first. */
  readonly sentences: readonly string[];
  /** Next action of the operator, or `none`. */
  readonly next: string;
}

/** Input of every explanation besides its objects. */
export interface ExplainContext {
  readonly now: number;
  /** Events about the object, in any order. */
  readonly events: readonly KubeEvent[];
}

/** Returns the documented meaning of a condition's reason. */
export const meaningOf = (catalogue: ConditionCatalogue, { type, reason }: Condition): string | undefined =>
  catalogue[type]?.reasons[reason];

/** Renders `connection timed out (HostUnreachable, for 3h)`. */
export function conditionSentence({ reason, message, lastTransitionTime }: Condition, now: number): string {
  const since = age(lastTransitionTime, now);
  return `${message === '' ? reason : message} (${[message === '' ? '' : reason, since === '' ? '' : `for ${since}`].filter(Boolean).join(', ')})`;
}

/** Returns the latest warning event, unless the text already contains it. */
export function lastWarning({ events, now }: ExplainContext, text: string): string | undefined {
  const timeOf = ({ series, eventTime, deprecatedLastTimestamp }: KubeEvent): string =>
    series?.lastObservedTime ?? eventTime ?? deprecatedLastTimestamp ?? '';
  const [latest] = events
    .filter(({ type }) => type === 'Warning')
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
  const note = latest?.note ?? '';
  if (!latest || note === '' || text.includes(note)) return undefined;
  return `The last warning was ${age(timeOf(latest), now)} ago: ${sentence(note)}`;
}

/** Adds a full stop if there is none. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
