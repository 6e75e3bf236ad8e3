/** Cache of programs, one file each, named by version and platform. Every file in it is complete. */
import { access, chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../environment.ts';
import type { Program } from './program.ts';
import type { BinarySource } from './source.ts';

export type BinaryCache = BinarySource & {
  readonly directory: string;
  /** Returns the path of a program in the cache, whether it exists or not. */
  file(program: Program): string;
  /** Runs `write` on a temporary file and renames it, so that no reader sees a half-written program. */
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

/** Removes leftovers of a killed build of the same program. The cache lock ensures that no other process is writing. */
async function removeLeftovers(file: string): Promise<void> {
  const names = await readdir(path.dirname(file));
  const leftovers = names.filter(name => name.startsWith(`${path.basename(file)}.`) && name.includes('.partial'));
  await Promise.all(leftovers.map(name => rm(path.join(path.dirname(file), name), { recursive: true, force: true })));
}
