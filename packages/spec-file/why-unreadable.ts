const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'is a directory',
  EACCES: 'permission denied',
};

/** Returns a message for a file that cannot be read. */
export const whyUnreadable = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return WHY['code' in error ? String(error.code) : ''] ?? error.message;
};
