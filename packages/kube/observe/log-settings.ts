import type { Clock } from '@minifleet/clock';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export interface ProgramLogOptions {
  readonly output: { write(line: string): unknown };
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Takes every secret it has learnt out of each line, however it is written. */
  readonly redactor: { redact(text: string): string };
}

/** Fields nobody should log, kept out should somebody do so. */
const NEVER = ['password', 'token', 'secret', 'authorization', 'credentials', 'data', 'stringData'];

/** How a program calls pino for its log: `pino(...logSettings(options))`. A JSON object a line, for whatever collects the output of Pods. */
export const logSettings = ({ output, level, clock, redactor }: ProgramLogOptions) =>
  [
    {
      level,
      base: {},
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label: string) => ({ level: label }) },
      messageKey: 'message',
      redact: { paths: NEVER.flatMap(field => [field, `*.${field}`, `*.*.${field}`]), censor: '[not shown]' },
    },
    { write: (line: string) => void output.write(redactor.redact(line)) },
  ] as const;
