import type { Secret } from '@minifleet/host';
import { readSecretLine, secretLine, whyUnreadable } from '@minifleet/spec-file';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';

/** Reads a password from a file; `-` is standard input. */
export async function readPassword(file: string, { input }: Pick<CliContext, 'input'>): Promise<Secret> {
  try {
    return file === '-' ? secretLine('password', await everything(input)) : await readSecretLine('password', file);
  } catch (error) {
    throw new UsageError(`${file === '-' ? 'standard input' : file}: ${whyUnreadable(error)}`);
  }
}

const everything = async (input: CliContext['input']): Promise<Buffer> => Buffer.concat(await Array.fromAsync(input));
