/** `node fetch-programs.ts helm clusterctl` fills the cache with these programs and prints their paths. Progress goes to stderr. */
import { findBinaries } from './binaries/find-binaries.ts';
import { PROGRAM_NAMES, type ProgramName } from './binaries/program.ts';
import { LocalClusterError } from './errors.ts';
import { createTerminalReporter } from './progress/terminal-reporter.ts';

const names = process.argv.slice(2);
const unknown = names.filter(name => !PROGRAM_NAMES.some(known => known === name));
const programs = names as ProgramName[];

if (unknown.length > 0 || names.length === 0) {
  process.stderr.write(`usage: fetch-programs <program>...; programs are ${PROGRAM_NAMES.join(', ')}\n`);
  process.exitCode = 2;
} else {
  try {
    const reporter = createTerminalReporter({ output: process.stderr, now: Date.now });
    const found = await findBinaries({ programs, reporter });
    process.stdout.write(programs.map(name => `${found[name]}\n`).join(''));
  } catch (error) {
    if (!(error instanceof LocalClusterError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
