/** How a failed connection is told to people: our words for the usual causes, the system's for the rest. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'no route to it',
  ENETUNREACH: 'no route to it',
  EHOSTDOWN: 'no route to it',
  ENOTFOUND: 'its name does not resolve',
  EAI_AGAIN: 'its name does not resolve now',
  EACCES: 'not allowed from here',
};

export function whyUnreached(error: unknown): string {
  if (!(error instanceof Error)) return 'closed by the host';
  const code = 'code' in error ? String(error.code) : '';
  return WORDS[code] ?? (error.message.replace(/\s+/g, ' ').trim() || error.name);
}

/** ssh2 tries our one key and says so; a server that allows a single try hangs up on us in its own words. */
export function isRefusedKey(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('level' in error && error.level === 'client-authentication') || /authentication fail/i.test(error.message);
}
