import { readFileSync } from 'node:fs';
import { PROVIDER_FLAG_WRONG } from '../settings/flags.ts';

interface FileAddress {
  readonly address: string;
  readonly port: number;
}

/** SSH address of a host in the file, which is read each time. Undefined if the file does not name the host. */
export const addressFrom =
  (file: string | undefined) =>
  (host: string): FileAddress | undefined => {
    const written = file === undefined ? undefined : entriesOf(file)[host];
    return written === undefined ? undefined : parsed(written, file ?? '');
  };

function entriesOf(file: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw PROVIDER_FLAG_WRONG({ problem: `--ssh-address-file ${file} cannot be read (${why})` });
  }
}

function parsed(text: string, file: string): FileAddress {
  const [, address = '', port = ''] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(text) ?? [];
  if (address === '') throw PROVIDER_FLAG_WRONG({ problem: `${text} in ${file} is not <address>:<port>` });
  return { address, port: Number(port) };
}
