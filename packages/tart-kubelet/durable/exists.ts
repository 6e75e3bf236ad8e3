import { access } from 'node:fs/promises';

/** Whether there is anything at this path. */
export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
