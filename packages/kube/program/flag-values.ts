import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { type Duration, parseDuration } from '@minifleet/clock';
import type { ObjectKey } from '../object.ts';
import { LOG_LEVELS, type LogLevel } from '../observe/log-settings.ts';

/** Where a program listens. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads the values of a program's flags; what cannot be read throws what `wrong` makes of the sentence. */
export interface FlagValues {
  readonly read: <O extends ParseArgsOptionsConfig>(argv: readonly string[], options: O) => Values<O>;
  readonly count: (flag: string, text: string) => number;
  /** As Go writes them: `90s`, `30m`, `1h30m`. */
  readonly duration: (flag: string, text: string) => Duration;
  readonly address: (flag: string, text: string) => BindAddress;
  readonly objectName: (flag: string, text: string) => Required<ObjectKey>;
  readonly logLevel: (text: string) => LogLevel;
}

type Values<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: O; strict: true }>
>['values'];

export const flagValues = (wrong: (problem: string) => Error): FlagValues => ({
  read(argv, options) {
    try {
      return parseArgs({ args: [...argv], options, strict: true }).values;
    } catch (error) {
      throw wrong(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
    }
  },
  count(flag, text) {
    if (!/^\d+$/.test(text)) throw wrong(`--${flag} ${text} is not a whole number`);
    return Number(text);
  },
  duration(flag, text) {
    const duration = parseDuration(text);
    if (duration === undefined) throw wrong(`--${flag} ${text} is not a duration such as 90s, 30m or 1h`);
    return duration;
  },
  address(flag, text) {
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(text) ?? [];
    if (port === '') throw wrong(`--${flag} ${text} is not an address such as 0.0.0.0:8080`);
    return { host: host === '' ? '0.0.0.0' : host, port: Number(port) };
  },
  objectName(flag, text) {
    const [namespace = '', name = '', ...more] = text.split('/');
    if (namespace === '' || name === '' || more.length > 0) throw wrong(`--${flag} ${text} is not <namespace>/<name>`);
    return { namespace, name };
  },
  logLevel(text) {
    const level = LOG_LEVELS.find(each => each === text);
    if (!level) throw wrong(`--log-level ${text} is none of ${LOG_LEVELS.join(', ')}`);
    return level;
  },
});
