export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Methods of pino that the packages use: fields first, then the message. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: Record<string, unknown>): Log;
}

const nothing = (): void => undefined;

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => silentLog };

/** Log fields of an unknown error: message, stack and cause. */
export function errorFields(error: unknown): { readonly err: object } {
  if (!(error instanceof Error)) return { err: { message: String(error) } };
  const cause = error.cause === undefined ? {} : { cause: errorFields(error.cause).err };
  return { err: { type: error.name, message: error.message, stack: error.stack, ...cause } };
}
