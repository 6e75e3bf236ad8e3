import type { OpenFile } from '../files/file-system.ts';
import type { Mac } from '../mac.ts';
import type { Job } from './launchd.ts';

/** Where a job's words go. launchd holds the files open: a log renamed away is still written to (facts §3.19). */
export interface JobOutput {
  out(text: string | Buffer): void;
  err(text: string | Buffer): void;
  close(): void;
}

/** Undefined when a file cannot be opened as the job's user: the job then fails with EX_CONFIG (derived). */
export function openOutput(mac: Mac, { definition, user }: Job): JobOutput | undefined {
  const open = (path: string | undefined): OpenFile | undefined =>
    path === undefined ? undefined : mac.files.open(user, path, { for: 'appending', mode: 0o644 });
  const write = (file: OpenFile | undefined, text: string | Buffer): void => {
    try {
      file?.write(text);
    } catch {
      // A full disk loses the line, not the job.
    }
  };
  try {
    const out = open(definition.standardOut);
    const shared = definition.standardError === definition.standardOut;
    const err = shared ? out : open(definition.standardError);
    return {
      out: text => write(out, text),
      err: text => write(err, text),
      close: () => {
        out?.close();
        if (!shared) err?.close();
      },
    };
  } catch {
    return undefined;
  }
}
