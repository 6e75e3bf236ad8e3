import { readFile } from 'node:fs/promises';
import { Secret } from '@minifleet/secret';

export const readSecretLine = async (name: string, file: string): Promise<Secret> =>
  secretLine(name, await readFile(file));

/** Secret of one line, without the line break that editors and `echo` add. */
export function secretLine(name: string, content: Uint8Array): Secret {
  const value = Buffer.from(content)
    .toString('latin1')
    .replace(/\r?\n$/, '');
  if (value === '') throw new Error(`the input contains no ${name}`);
  return new Secret(name, Buffer.from(value, 'latin1'));
}
