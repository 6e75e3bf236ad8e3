import type { Program } from '../program.ts';
import { hostNameOf } from './network-name.ts';

/** /bin/hostname, without arguments or `-s`. Setting it lasts until the next lease, so nobody should. */
export const hostname: Program = run => {
  const [, word] = run.argv;
  const name = hostNameOf(run.mac);
  if (word === undefined || word === '-f') run.out(`${name}\n`);
  else if (word === '-s') run.out(`${name.split('.')[0]}\n`);
  else {
    run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
    run.err('usage: hostname [-f] [-s] [name-of-host]\n');
    return 1;
  }
  return 0;
};
