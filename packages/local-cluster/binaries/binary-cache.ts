/** Programs kept between runs, one file each, named by version and platform. A file that is there is whole. */
import { access, chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../environment.ts';
import type { Program } from './program.ts';
import type { BinarySource } from './source.ts';

export type BinaryCache = BinarySource & {
  readonly directory: string;
  /** Where a program is or will be. */
  file(program: Program): string;
  /** Runs `write` on a file beside the final one, then renames it: no reader ever sees a half-written program. */
  store(program: Program, write: (file: string) => Promise<void>): Promise<string>;
};

export function openBinaryCache(environment: Environment): BinaryCache {
  const directory = path.join(environment.cacheDirectory, 'bin');
  const file = (program: Program) =>
    path.join(directory, [program.name, program.version, environment.os, environment.arch].join('-'));
  return {
    origin: 'from the cache',
    directory,
    file,
    async find(program) {
      try {
        await access(file(program));
        return { path: file(program) };
      } catch {
        return { passedOver: `${program.name} ${program.version} is not in the cache`, expected: true };
      }
    },
    async store(program, write) {
      await mkdir(directory, { recursive: true });
      await removeLeftovers(file(program));
      const beside = `${file(program)}.${process.pid}.partial`;
      try {
        await write(beside);
        await chmod(beside, 0o755);
        await rename(beside, file(program));
      } finally {
        await rm(beside, { force: true });
      }
      return file(program);
    },
  };
}

/** What a killed build left of the same program. The lock of the cache says that nobody is writing it now. */
async function removeLeftovers(file: string): Promise<void> {
  const names = await readdir(path.dirname(file));
  const leftovers = names.filter(name => name.startsWith(`${path.basename(file)}.`) && name.includes('.partial'));
  await Promise.all(leftovers.map(name => rm(path.join(path.dirname(file), name), { recursive: true, force: true })));
}
