import { wordsOf } from '../files/file-error.ts';
import type { Program, Run } from '../program.ts';
import { nameOf, parseOptions } from './options.ts';
import { readOperand, resolve } from './paths.ts';

/** Copies as it comes: an upload that breaks off leaves what had arrived. */
async function copyStdin(run: Run, write: (chunk: Buffer) => void): Promise<void> {
  for (let chunk = await run.stdin.read(); chunk; chunk = await run.stdin.read()) write(chunk);
}

export const cat: Program = async run => {
  const options = parseOptions(run, { letters: 'un', usage: 'cat [-belnstuv] [file ...]' });
  if (typeof options === 'number') return options;
  let failed = 0;
  for (const path of options.operands.length > 0 ? options.operands : ['-']) {
    try {
      if (path === '-') await copyStdin(run, run.out);
      else run.out(await readOperand(run, path));
    } catch (error) {
      run.err(`cat: ${path === '-' ? 'stdout' : path}: ${wordsOf(error)}\n`);
      failed = 1;
    }
  }
  return failed;
};

export const tee: Program = async run => {
  const options = parseOptions(run, { letters: 'ai', usage: 'tee [-ai] [file ...]' });
  if (typeof options === 'number') return options;
  let failed = 0;
  const writers = options.operands.flatMap(path => {
    try {
      const mode = options.has('a') ? 'appending' : 'writing';
      const file = run.mac.files.open(run.user, resolve(run, path), { for: mode, mode: 0o644 });
      return [{ path, file }];
    } catch (error) {
      run.err(`${nameOf(run)}: ${path}: ${wordsOf(error)}\n`);
      failed = 1;
      return [];
    }
  });
  try {
    await copyStdin(run, chunk => {
      run.out(chunk);
      for (const { file } of writers) file.write(chunk);
    });
  } catch (error) {
    run.err(`tee: ${writers[0]?.path ?? ''}: ${wordsOf(error)}\n`);
    failed = 1;
  }
  for (const { file } of writers) file.close();
  return failed;
};
