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
  const formsOf = rememberedForms();
  let index: FormIndex | undefined;
  return {
    learn(secret) {
      const key = secret.reveal().toString('latin1');
      const known = learnt.get(key);
      if (!known) index = undefined;
      learnt.delete(key);
      learnt.set(key, known ?? secret);
      const [oldest] = learnt.keys();
      if (keep !== undefined && learnt.size > keep && oldest !== undefined) learnt.delete(oldest);
    },
    redact(text) {
      index ??= indexed([...secrets, ...learnt.values()], formsOf);
      const matches = matchesIn(text, index);
      return matches.length === 0 ? text : withoutMatches(text, matches);
    },
  };
}

/** Encodings of a secret are computed once, when the first text after `learn` is redacted. */
function rememberedForms(): (secret: Secret) => readonly string[] {
  const forms = new WeakMap<Secret, readonly string[]>();
  return secret => {
    const known = forms.get(secret) ?? writtenForms(secret.reveal());
    forms.set(secret, known);
    return known;
  };
}

interface SecretForm {
  readonly form: string;
  readonly secret: Secret;
}

/** Forms by their first characters: the time to redact a text does not grow with the number of secrets. */
type FormIndex = ReadonlyMap<string, readonly SecretForm[]>;

function indexed(secrets: readonly Secret[], formsOf: (secret: Secret) => readonly string[]): FormIndex {
  const owners = new Map<string, Secret>();
  for (const secret of secrets) {
    for (const form of formsOf(secret)) {
      // A token may also be part of a kubeconfig; it is then shown under the token's name.
      const other = owners.get(form);
      if (!other || secret.reveal().length <= other.reveal().length) owners.set(form, secret);
    }
  }
  const index = new Map<string, SecretForm[]>();
  for (const [form, secret] of owners) {
    const start = form.slice(0, SHORTEST_FORM);
    const forms = index.get(start);
    if (forms) forms.push({ form, secret });
    else index.set(start, [{ form, secret }]);
  }
  return index;
}

interface SecretMatch {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

function matchesIn(text: string, index: FormIndex): SecretMatch[] {
  if (index.size === 0) return [];
  const matches: SecretMatch[] = [];
  for (let from = 0; from + SHORTEST_FORM <= text.length; from++) {
    for (const { form, secret } of index.get(text.slice(from, from + SHORTEST_FORM)) ?? []) {
      if (text.startsWith(form, from)) matches.push({ from, to: from + form.length, name: secret.toString() });
    }
  }
  return matches;
}

/**
 * All matches are found in the original text, and matches that overlap are replaced together. One after the other, the first
 * replacement would split the second match and leave the rest readable, or match inside the name of another secret.
 */
function withoutMatches(text: string, matches: readonly SecretMatch[]): string {
  const inOrder = matches.toSorted((one, other) => one.from - other.from || other.to - one.to);
  let clean = '';
  let end = 0;
  for (const { from, to, name } of inOrder) {
    if (from >= end) clean += text.slice(end, from) + name;
    end = Math.max(end, to);
  }
  return clean + text.slice(end);
}

/** Every secret inside a plain value, at any depth. */
export function secretsIn(value: unknown): Secret[] {
  if (value instanceof Secret) return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(secretsIn);
}
