/** The part of pino we use: fields first, then a sentence. Programs pass pino itself. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: Record<string, unknown>): Log;
}

const nothing = (): void => undefined;

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => silentLog };

/** What a log line carries of an unknown error: its words and stack, and the cause behind it. */
export function errorFields(error: unknown): { readonly err: object } {
  if (!(error instanceof Error)) return { err: { message: String(error) } };
  const cause = error.cause === undefined ? {} : { cause: errorFields(error.cause).err };
  return { err: { type: error.name, message: error.message, stack: error.stack, ...cause } };
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
