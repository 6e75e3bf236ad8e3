import type { Clock } from '@minifleet/clock';
import type { Redactor } from '@minifleet/host';
import type { Log } from '@minifleet/kube';
import { pino } from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface ProviderLogOptions {
  readonly output: { write(line: string): unknown };
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Takes every secret it has learnt out of each line, however it is written. */
  readonly redactor: Redactor;
}

/** Fields nobody should log, kept out should somebody do so. */
const NEVER = ['password', 'token', 'secret', 'authorization', 'credentials', 'data', 'stringData'];

/** The provider's log: a JSON object a line, for whatever collects the output of Pods. */
export function openProviderLog({ output, level, clock, redactor }: ProviderLogOptions): Log {
  const settings = {
    level,
    base: {},
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    messageKey: 'message',
    redact: { paths: NEVER.flatMap(field => [field, `*.${field}`, `*.*.${field}`]), censor: '[not shown]' },
  };
  return pino(settings, { write: line => void output.write(redactor.redact(line)) });
}
