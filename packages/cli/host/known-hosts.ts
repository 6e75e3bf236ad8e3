import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The keys hosts showed at their first contact: one line a host, `203.0.113.7:22 SHA256:…`, made to be edited by hand. */
export interface KnownHosts {
  readonly file: string;
  find(hostPort: string): Promise<KnownHostPin | undefined>;
  add(hostPort: string, fingerprint: string): Promise<void>;
}

export interface KnownHostPin {
  readonly fingerprint: string;
  /** Counted from 1, for whoever must remove it. */
  readonly line: number;
}

export const openKnownHosts = (file: string): KnownHosts => ({
  file,
  async find(hostPort) {
    return findPin(await readIfThere(file), hostPort);
  },
  // Appended in one write: two commands that meet two new hosts at once both keep their line.
  async add(hostPort, fingerprint) {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await appendFile(file, `${hostPort} ${fingerprint}\n`, { mode: 0o600 });
  },
});

function findPin(text: string, hostPort: string): KnownHostPin | undefined {
  const lines = text.split('\n').map(line => line.trim().split(/\s+/));
  const index = lines.findIndex(([name]) => name === hostPort);
  const fingerprint = lines[index]?.[1];
  return fingerprint === undefined ? undefined : { fingerprint, line: index + 1 };
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
