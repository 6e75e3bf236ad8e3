import { Secret } from './secret.ts';

/** Knows the secrets of one host and takes them out of every text that leaves it: errors, journal, ledger, logs. */
export interface Redactor {
  learn(secret: Secret): void;
  redact(text: string): string;
}

// Shorter ones would tear holes into ordinary words; no password or token we handle is that short.
const SHORTEST = 4;
// A line of a kubeconfig such as `kind: Config` is no secret by itself; its keys and tokens are longer.
const SHORTEST_LINE = 20;

export function createRedactor(secrets: readonly Secret[] = []): Redactor {
  const names = new Map<string, string>();
  let longestFirst: readonly string[] = [];
  const learn = (secret: Secret): void => {
    for (const form of formsOf(secret.reveal())) names.set(form, secret.toString());
    // A secret may hold another (a kubeconfig its token): the longer one goes first.
    longestFirst = [...names.keys()].sort((one, other) => other.length - one.length);
  };
  secrets.forEach(learn);
  return {
    learn,
    redact: text => longestFirst.reduce((clean, form) => clean.replaceAll(form, names.get(form) ?? ''), text),
  };
}

/** Every way the value may turn up in a text: as it is, line by line, and as encoders and quoters write it. */
function formsOf(value: Buffer): string[] {
  const text = value.toString('utf8');
  const plain = [text, text.trim(), ...text.split('\n').filter(line => line.trim().length >= SHORTEST_LINE)];
  const written = plain.flatMap(form => [
    form,
    form.trim(),
    JSON.stringify(form).slice(1, -1),
    encodeURIComponent(form),
    form.replaceAll("'", `'\\''`),
    form.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ]);
  const encoded = [value, Buffer.from(text.trim()), Buffer.from(`${text.trim()}\n`)].flatMap(bytes => [
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('latin1'),
  ]);
  return [...new Set([...written, ...encoded])].filter(form => form.length >= SHORTEST);
}

/** Every secret inside a plain value, however deep. */
export function secretsIn(value: unknown): Secret[] {
  if (value instanceof Secret) return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(secretsIn);
}
