import type { Program } from '../program.ts';
import { launchdOf } from './launchd.ts';

/** /usr/bin/sfltool: what Background Task Management has counted, and starting over (that this heals respawn is derived). */
export const sfltool: Program = run => {
  const { registrations } = launchdOf(run.mac);
  switch (run.argv[1] ?? '') {
    case 'dumpbtm':
      for (const [label, count] of registrations)
        run.out(` #${count}:\n                 Name: ${label}\n                 Type: legacy daemon (0x10010)\n`);
      return 0;
    case 'resetbtm':
      if (run.user.uid !== 0) {
        run.err('sfltool: must be run as root\n');
        return 1;
      }
      registrations.clear();
      return 0;
    default:
      run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
      run.err('usage: sfltool <command>\n');
      return 1;
  }
};
