import { Secret } from './secret.ts';
import { writtenForms } from './written-forms.ts';

/** Knows the secrets of one host and takes them out of every text that leaves it: errors, journal, ledger, logs. */
export interface Redactor {
  learn(secret: Secret): void;
  redact(text: string): string;
}

export function createRedactor(secrets: readonly Secret[] = []): Redactor {
  const known = new Map<string, Secret>();
  const learn = (secret: Secret): void => {
    for (const form of writtenForms(secret.reveal())) {
      // A token may also stand in a kubeconfig: it goes by its own name.
      const other = known.get(form);
      if (!other || secret.reveal().length <= other.reveal().length) known.set(form, secret);
    }
  };
  secrets.forEach(learn);
  return {
    learn,
    redact(text) {
      const found = [...known].flatMap(([form, secret]) => placesOf(text, form, secret.toString()));
      return found.length === 0 ? text : withoutPlaces(text, found);
    },
  };
}

interface Place {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

function placesOf(text: string, form: string, name: string): Place[] {
  const places: Place[] = [];
  for (let from = text.indexOf(form); from >= 0; from = text.indexOf(form, from + 1)) {
    places.push({ from, to: from + form.length, name });
  }
  return places;
}

/**
 * All places are found in the text as it was, and those that overlap go together: were they replaced one after the
 * other, the first would tear the second apart and leave its rest to be read, or find itself in the name of another.
 */
function withoutPlaces(text: string, places: readonly Place[]): string {
  const inOrder = places.toSorted((one, other) => one.from - other.from || other.to - one.to);
  let clean = '';
  let end = 0;
  for (const { from, to, name } of inOrder) {
    if (from >= end) clean += text.slice(end, from) + name;
    end = Math.max(end, to);
  }
  return clean + text.slice(end);
}

/** Every secret inside a plain value, however deep. */
export function secretsIn(value: unknown): Secret[] {
  if (value instanceof Secret) return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(secretsIn);
}
