import { Secret } from './secret.ts';
import { SHORTEST_FORM, writtenForms } from './written-forms.ts';

/** Removes known secrets from every text that leaves a process or a host: errors, journal, ledger, logs. */
export interface Redactor {
  learn(secret: Secret): void;
  redact(text: string): string;
}

export interface RedactorOptions {
  /**
   * Number of secrets that `learn` keeps (default: all). Beyond it, the redactor forgets the secret that was learnt first, so that a
   * process that reads new secrets for months does not grow. Secrets given at creation are never forgotten.
   */
  readonly keep?: number;
}

export function createRedactor(secrets: readonly Secret[] = [], { keep }: RedactorOptions = {}): Redactor {
  // Map keeps the order of insertion: the first key is the secret that was learnt first.
  const learnt = new Map<string, Secret>();
  const index = new FormIndex();
  // The encodings of a secret are computed when the next text is redacted, because many are forgotten before that.
  const pending = new Set(secrets);
  return {
    learn(secret) {
      const key = secret.reveal().toString('latin1');
      const known = learnt.get(key);
      if (!known) pending.add(secret);
      learnt.delete(key);
      learnt.set(key, known ?? secret);
      const [oldest] = learnt;
      if (keep === undefined || learnt.size <= keep || !oldest) return;
      learnt.delete(oldest[0]);
      if (!pending.delete(oldest[1])) index.remove(oldest[1]);
    },
    redact(text) {
      for (const secret of pending) index.add(secret);
      pending.clear();
      const matches = index.matchesIn(text);
      return matches.length === 0 ? text : withoutMatches(text, matches);
    },
  };
}

interface SecretMatch {
  readonly from: number;
  readonly to: number;
  readonly secret: Secret;
}

/** Written forms of secrets by their first characters: the time to redact a text hardly grows with the number of secrets. */
class FormIndex {
  readonly #byStart = new Map<string, { readonly form: string; readonly secret: Secret }[]>();
  readonly #forms = new Map<Secret, readonly string[]>();
  /** First characters of all forms, also of removed ones. Most characters of a text are none of them. */
  readonly #initials = new Set<number>();

  add(secret: Secret): void {
    const forms = writtenForms(secret.reveal());
    this.#forms.set(secret, forms);
    for (const form of forms) {
      const start = form.slice(0, SHORTEST_FORM);
      this.#initials.add(start.charCodeAt(0));
      const entries = this.#byStart.get(start);
      if (entries) entries.push({ form, secret });
      else this.#byStart.set(start, [{ form, secret }]);
    }
  }

  remove(secret: Secret): void {
    for (const start of new Set(this.#forms.get(secret)?.map(form => form.slice(0, SHORTEST_FORM)))) {
      const others = this.#byStart.get(start)?.filter(entry => entry.secret !== secret) ?? [];
      if (others.length > 0) this.#byStart.set(start, others);
      else this.#byStart.delete(start);
    }
    this.#forms.delete(secret);
  }

  matchesIn(text: string): SecretMatch[] {
    if (this.#byStart.size === 0) return [];
    const matches: SecretMatch[] = [];
    for (let from = 0; from + SHORTEST_FORM <= text.length; from++) {
      if (!this.#initials.has(text.charCodeAt(from))) continue;
      for (const { form, secret } of this.#byStart.get(text.slice(from, from + SHORTEST_FORM)) ?? []) {
        if (text.startsWith(form, from)) matches.push({ from, to: from + form.length, secret });
      }
    }
    return matches;
  }
}

/**
 * All matches are found in the original text, and matches that overlap are replaced together. One after the other, the first
 * replacement would split the second match and leave the rest readable, or match inside the name of another secret.
 */
function withoutMatches(text: string, matches: readonly SecretMatch[]): string {
  const inOrder = matches.toSorted(
    // A token may also be part of a kubeconfig; it is then shown under the token's name.
    (one, other) => one.from - other.from || other.to - one.to || lengthOf(one) - lengthOf(other),
  );
  let clean = '';
  let end = 0;
  for (const { from, to, secret } of inOrder) {
    if (from >= end) clean += text.slice(end, from) + secret.toString();
    end = Math.max(end, to);
  }
  return clean + text.slice(end);
}

const lengthOf = ({ secret }: SecretMatch): number => secret.reveal().length;

/** Every secret inside a plain value, at any depth. */
export function secretsIn(value: unknown): Secret[] {
  if (value instanceof Secret) return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(secretsIn);
}
