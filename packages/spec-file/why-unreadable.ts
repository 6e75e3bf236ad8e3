const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'is a directory',
  EACCES: 'permission denied',
};

/** Why a file of the user cannot be read, in words. */
export const whyUnreadable = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return WHY['code' in error ? String(error.code) : ''] ?? error.message;
};
