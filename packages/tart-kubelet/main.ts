#!/usr/bin/env node
import { hostname, userInfo } from 'node:os';
import { systemClock } from '@minifleet/clock';
import { runMain } from '@minifleet/kube/main';
import packageFile from './package.json' with { type: 'json' };

const { version } = packageFile;
const [, script = '', command, directory = ''] = process.argv;

/** From its sources the program is Node with a script; built, it is an executable. */
const self: readonly [string, ...string[]] = script.endsWith('.ts') ? [process.execPath, script] : [process.execPath];

if (command === 'supervise') await supervise();
else
  await runMain(process, {
    program: 'tart-kubelet',
    version,
    help: async () => (await import('./agent/flags.ts')).agentFlags.help,
    run: runAgentProcess,
    signals: ['SIGINT', 'SIGTERM', 'SIGHUP'],
    // Open sockets of guests that continue to run would keep the process alive.
    exit: true,
  });

/** Apart from `runMain`: a supervisor loads as little as possible, and handles its own signals. */
async function supervise(): Promise<void> {
  const { runSupervisor } = await import('./guests/supervisor/main.ts');
  await runSupervisor(directory);
  // Nothing may keep a supervisor alive after its guest has ended.
  process.exit();
}

async function runAgentProcess(argv: readonly string[], signal: AbortSignal): Promise<void> {
  const [{ parseAgentFlags }, { runAgent }] = await Promise.all([
    import('./agent/flags.ts'),
    import('./agent/run-agent.ts'),
  ]);
  await runAgent(parseAgentFlags(argv, hostname()), {
    clock: systemClock,
    environment: process.env,
    // launchd sets USER to the user of the job.
    user: process.env['USER'] ?? userInfo().username,
    version,
    supervisor: [...self, 'supervise'],
    signal,
  });
}
