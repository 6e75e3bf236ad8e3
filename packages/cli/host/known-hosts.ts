import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Host keys from first connections, one line for each host (`203.0.113.7:22 SHA256:…`). Users may edit the file. */
export interface KnownHosts {
  readonly file: string;
  find(hostPort: string): Promise<KnownHostPin | undefined>;
  add(hostPort: string, fingerprint: string): Promise<void>;
}

interface KnownHostPin {
  readonly fingerprint: string;
  /** Line number from 1, so that the user can remove the line. */
  readonly line: number;
}

export const openKnownHosts = (file: string): KnownHosts => ({
  file,
  async find(hostPort) {
    return findPin(await readIfThere(file), hostPort);
  },
  // One append, so that two concurrent commands both keep their line.
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
