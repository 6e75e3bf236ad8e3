import type { Program } from '../program.ts';
import type { Formula } from './homebrew.ts';
import { packer } from './packer.ts';

/** A tool of which only the version is asked; anything else is said to be unmodelled. */
const versioned =
  (answer: (version: string) => string) =>
  (version: string): Program =>
  run => {
    if (/^(--)?version$/.test(run.argv[1] ?? '')) {
      run.out(answer(version));
      return 0;
    }
    run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
    run.err(`Error: unknown command "${run.argv[1] ?? ''}"\n`);
    return 1;
  };

/** What the builder of facts §4 installs. The versions are examples. */
export const formulae = (): Formula[] => [
  { name: 'packer', tap: 'hashicorp/tap', version: '1.14.2', program: packer },
  { name: 'crane', version: '0.20.6', program: versioned(version => `${version}\n`) },
  { name: 'oras', version: '1.3.0', program: versioned(version => `Version:        ${version}+Homebrew\n`) },
];
