import { readdirSync, readFileSync } from 'node:fs';
import { eventually } from '@minifleet/clock/testing';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly dead: boolean;
}

/** Kills what a listening sshd has forked to serve connections; the commands they run go on, as when a network dies. */
export async function endConnections(listener: number): Promise<void> {
  const serving = sshdBelow(listener, processes());
  for (const { pid } of serving) kill(pid);
  const pids = new Set(serving.map(({ pid }) => pid));
  await eventually(() => processes().every(({ pid, dead }) => !pids.has(pid) || dead), {
    what: 'the end of sshd’s children',
  });
}

const sshdBelow = (parent: number, all: readonly Process[]): Process[] =>
  all
    .filter(process => process.parent === parent && process.name.startsWith('sshd'))
    .flatMap(process => [process, ...sshdBelow(process.pid, all)]);

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}

const processes = (): Process[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(describe);

function describe(pid: string): Process[] {
  try {
    const [, name = '', state, parent] =
      /^\d+ \((.*)\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return [{ pid: Number(pid), parent: Number(parent), name, dead: state === 'Z' }];
  } catch {
    return [];
  }
}
