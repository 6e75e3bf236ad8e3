import type { CataloguedError } from '@minifleet/errors';
import { HOST_DISK_FULL, HOST_FILE_READ_ONLY } from './errors.ts';

const LOCKED = /(Read-only file system|Operation not permitted|Permission denied)/;

/** The named error behind a program's complaint about a file, if it is one we know. */
export function fileFailure(
  where: { readonly path: string; readonly address: string },
  complaint: string,
): CataloguedError | undefined {
  if (/No space left on device/.test(complaint)) return HOST_DISK_FULL(where);
  const why = LOCKED.exec(complaint)?.[1];
  return why === undefined ? undefined : HOST_FILE_READ_ONLY({ ...where, why });
}
