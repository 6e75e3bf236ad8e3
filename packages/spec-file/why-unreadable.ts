const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'it may not be read',
};

/** Why a file of the user cannot be read, in words. */
export const whyUnreadable = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return WHY['code' in error ? String(error.code) : ''] ?? error.message;
};
