/** `tart-kubelet supervise <directory>` as tests run it: from its sources, and killed where the test says. */
import { runSupervisor } from '../supervisor/main.ts';

const directory = process.argv.at(-1) ?? '';
const killAt = process.env['KILL_SUPERVISOR_AT'];
await runSupervisor(directory, {
  onDurableWrite: (moment, file) => {
    if (killAt === `${moment} ${file}`) process.kill(process.pid, 'SIGKILL');
  },
});
process.exit(0);
