/** Programs a person points at by an environment variable. They are used as they are: their version is their owner's choice. */
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import type { BinarySource } from './source.ts';

export function givenDirectory(variable: string, directory: string | undefined): BinarySource {
  return {
    origin: `from ${variable}`,
    async find(program) {
      if (directory === undefined) return { passedOver: `${variable} is not set`, expected: true };
      const data = program.recipe.kind === 'module-files';
      const file = path.join(directory, data ? `${program.name}.json` : program.name);
      try {
        await access(file, data ? constants.R_OK : constants.X_OK);
        return { path: file };
      } catch {
        return { passedOver: `${variable} has no usable ${path.basename(file)}` };
      }
    },
  };
}
