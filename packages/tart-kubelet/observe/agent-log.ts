import type { Log } from '@minifleet/kube';
import { createLog, type ProgramLogOptions } from '@minifleet/kube/program';
import { openCappedFile } from './capped-file.ts';

interface AgentLogOptions extends Omit<ProgramLogOptions, 'output' | 'fields'> {
  readonly path: string;
  /** Field of every line. */
  readonly node: string;
  readonly mostBytes?: number;
  readonly earlier?: number;
}

interface AgentLog {
  readonly log: Log;
  /** Lines that could not be written. */
  readonly lost: number;
  close(): void;
}

const MOST_BYTES = 20 * 1024 ** 2;
const EARLIER = 4;

/** Opens the agent's log: JSON lines in files of at most 100 MB in total. */
export function openAgentLog(options: AgentLogOptions): AgentLog {
  const { path, level, clock, node, redactor, mostBytes = MOST_BYTES, earlier = EARLIER } = options;
  const output = openCappedFile({ path, mostBytes, earlier });
  return {
    log: createLog({ output, level, clock, redactor, fields: { node } }),
    close: () => output.close(),
    get lost() {
      return output.lost;
    },
  };
}
