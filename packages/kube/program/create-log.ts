import type { Clock } from '@minifleet/clock';
import { pino } from 'pino';
import type { Log, LogLevel } from '../observe/log.ts';

export interface ProgramLogOptions {
  readonly output: { write(line: string): unknown };
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Removes the secrets that the process has read from every line, in all their encodings. */
  readonly redactor: { redact(text: string): string };
  /** Fields of every line. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Fields that are never written, as a second safeguard if a caller logs them. */
const NEVER = ['password', 'token', 'secret', 'authorization', 'credentials', 'auth', 'data', 'stringData'];

/** A longer line, for example with a whole HTTP response, would displace hundreds of others in a log of limited size. */
const LONGEST_LINE = 64 * 1024;

/** Log of a program: one JSON object per line. Lines are written synchronously, so the last ones survive a crash. */
export const createLog = ({ output, level, clock, redactor, fields = {} }: ProgramLogOptions): Log =>
  pino(
    {
      level,
      base: fields,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: label => ({ level: label }) },
      messageKey: 'message',
      redact: { paths: NEVER.flatMap(field => [field, `*.${field}`, `*.*.${field}`]), censor: '[not shown]' },
    },
    { write: line => void output.write(shortened(redactor.redact(line))) },
  );

/** A line that is cut is no JSON any more, so its start becomes a field of another line. */
function shortened(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const beginning = line.slice(0, LONGEST_LINE / 2);
  return `${JSON.stringify({ level: 'warn', message: 'Log line too long', length: line.length, beginning })}\n`;
}
