import { readFileSync } from 'node:fs';
import type { Server } from '@minifleet/vendors';
import { dialled, type Reached } from '../host-work/run-job.ts';
import { PROVIDER_FLAG_WRONG } from './flags.ts';

/** SSH address of a server: from the file, which is read each time, or else from the vendor. */
export const reachBy =
  (file: string | undefined) =>
  (server: Server): Reached | undefined => {
    const written = file === undefined ? undefined : entriesOf(file)[server.id];
    return written === undefined ? dialled(server) : parsed(written, file ?? '');
  };

function entriesOf(file: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw PROVIDER_FLAG_WRONG({ problem: `--ssh-address-file ${file} cannot be read (${why})` });
  }
}

function parsed(text: string, file: string): Reached {
  const [, address = '', port = ''] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(text) ?? [];
  if (address === '') throw PROVIDER_FLAG_WRONG({ problem: `${text} in ${file} is not <address>:<port>` });
  return { address, port: Number(port) };
}
