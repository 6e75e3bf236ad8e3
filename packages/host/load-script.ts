import { readFileSync } from 'node:fs';

const loaded = new Map<string, string>();

/** Text of a shell script by its name without `.sh`. */
export function loadScript(name: string): string {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`./scripts/${name}.sh`, import.meta.url), 'utf8');
  loaded.set(name, text);
  return text;
}
