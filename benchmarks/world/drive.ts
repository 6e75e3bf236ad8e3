/** Measures any SSH server: connections with one command per second, and upload rate. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ssh2 from 'ssh2';

export interface SshTarget {
  readonly port: number;
  readonly user: string;
  readonly keyFile: string;
}

/** Connects, runs `true` and disconnects, with `atOnce` concurrent clients for the given time. Returns the rate per second. */
export async function connectAndRunRate(
  targets: readonly SshTarget[],
  options: { atOnce: number; seconds: number },
): Promise<number> {
  const end = performance.now() + options.seconds * 1_000;
  const started = performance.now();
  let done = 0;
  const worker = async (first: number): Promise<void> => {
    for (let number = first; performance.now() < end; number += options.atOnce) {
      const target = targets[number % targets.length];
      if (target) await connectAndRun(target);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, (_, index) => worker(index)));
  return done / ((performance.now() - started) / 1_000);
}

function connectAndRun({ port, user, keyFile }: SshTarget): Promise<void> {
  const client = new ssh2.Client();
  return new Promise((resolve, reject) => {
    // ssh2 writes a packet in two pieces: with Nagle's algorithm the second waits 40 ms for the first one's acknowledgement.
    client.once('connect', () => client.setNoDelay(true));
    client.once('error', reject);
    client.once('ready', () => {
      client.exec('true', (error, channel) => {
        if (error) return reject(error);
        channel.resume();
        channel.once('exit', code => (code === 0 ? undefined : reject(new Error(`exit status ${String(code)}`))));
        channel.once('close', () => {
          client.end();
          resolve();
        });
      });
    });
    client.connect({
      host: '127.0.0.1',
      port,
      username: user,
      privateKey: readFileSync(keyFile),
      readyTimeout: 30_000,
    });
  });
}

/** Megabytes per second of an upload with the OpenSSH client. */
export function uploadRate({ port, user, keyFile }: SshTarget, megabytes: number): Promise<number> {
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR', 'BatchMode=yes'];
  const argv = ['-i', keyFile, '-p', String(port), ...options.flatMap(option => ['-o', option]), `${user}@127.0.0.1`];
  const started = performance.now();
  const child = spawn('ssh', [...argv, 'cat > /tmp/minifleet-upload && rm /tmp/minifleet-upload'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const content = Buffer.alloc(megabytes * 1_000_000, 'minifleet');
  child.stdin.end(content);
  return new Promise((resolve, reject) => {
    child.once('exit', code => {
      if (code === 0) resolve(megabytes / ((performance.now() - started) / 1_000));
      else reject(new Error(`ssh ended with ${String(code)}`));
    });
  });
}
