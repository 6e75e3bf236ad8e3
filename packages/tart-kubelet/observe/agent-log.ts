import type { Clock } from '@minifleet/clock';
import type { Redactor } from '@minifleet/host';
import type { Log } from '@minifleet/kube';
import { pino } from 'pino';
import { openCappedFile } from './capped-file.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface AgentLogOptions {
  readonly path: string;
  readonly level: LogLevel;
  readonly clock: Clock;
  /** In every line. */
  readonly node: string;
  /** Takes every secret it has learnt out of each line, however it is written. */
  readonly redactor: Redactor;
  readonly mostBytes?: number;
  readonly earlier?: number;
}

export interface AgentLog extends Log {
  readonly lost: number;
  close(): void;
}

const MOST_BYTES = 20 * 1024 ** 2;
const EARLIER = 4;
/** One line with a whole response in it would push out hundreds that matter. */
const LONGEST_LINE = 64 * 1024;
/** Fields nobody should log, kept out should somebody do so. */
const NEVER = ['password', 'token', 'secret', 'authorization', 'credentials', 'auth', 'data', 'stringData'];

/** The agent's own log: JSON lines in files of at most 100 MB together. Written at once, so that the last words are there. */
export function openAgentLog(options: AgentLogOptions): AgentLog {
  const { path, level, clock, node, redactor, mostBytes = MOST_BYTES, earlier = EARLIER } = options;
  const file = openCappedFile({ path, mostBytes, earlier });
  const settings = {
    level,
    base: { node },
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    messageKey: 'message',
    redact: { paths: NEVER.flatMap(field => [field, `*.${field}`, `*.*.${field}`]), censor: '[not shown]' },
  };
  const logger = pino(settings, { write: line => file.write(shortened(redactor.redact(line))) });
  return {
    ...asLog(logger),
    close: () => file.close(),
    get lost() {
      return file.lost;
    },
  };
}

interface Speaks {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: Record<string, unknown>): Speaks;
}

const asLog = (logger: Speaks): Log => ({
  debug: (fields, message) => logger.debug(fields, message),
  info: (fields, message) => logger.info(fields, message),
  warn: (fields, message) => logger.warn(fields, message),
  error: (fields, message) => logger.error(fields, message),
  child: fields => asLog(logger.child(fields)),
});

/** Cut, it is no JSON any more: so it is a line of its own that says so and holds the beginning. */
function shortened(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const beginning = line.slice(0, LONGEST_LINE / 2);
  return `${JSON.stringify({ level: 'warn', message: 'A line of the log was too long', length: line.length, beginning })}\n`;
}
