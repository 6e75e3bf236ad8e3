import type { Label } from './runner.ts';

/** Labels the service itself knows; every other one is `custom`. */
const READ_ONLY = new Set(['self-hosted', 'macos', 'linux', 'windows', 'x64', 'arm', 'arm64']);

/** As the API shows them. A label given twice, in whatever case, is one. */
export function labelsOf(names: readonly string[]): readonly Label[] {
  const seen = new Map<string, string>();
  for (const name of names) if (!seen.has(name.toLowerCase())) seen.set(name.toLowerCase(), name);
  return [...seen].map(([folded, name]) => ({
    id: labelId(folded),
    name,
    type: READ_ONLY.has(folded) ? 'read-only' : 'custom',
  }));
}

/** A job's labels must all be on the runner, in whatever case. */
export const serves = (runner: readonly Label[], wanted: readonly string[]): boolean =>
  wanted.every(name => runner.some(label => label.name.toLowerCase() === name.toLowerCase()));

/** The same label has the same id on every runner. */
const labelId = (name: string): number => Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 99_991, 7);
