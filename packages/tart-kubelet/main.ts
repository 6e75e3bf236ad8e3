#!/usr/bin/env node
import { hostname, userInfo } from 'node:os';
import { systemClock } from '@minifleet/clock';
import packageFile from './package.json' with { type: 'json' };

const FAILED = 1;
const words = process.argv.slice(2);

/** Run from its sources the program is Node with a script; built, it is itself. */
const script = process.argv[1] ?? '';
const itself: readonly [string, ...string[]] = script.endsWith('.ts') ? [process.execPath, script] : [process.execPath];

if (words[0] === '--version') process.stdout.write(`tart-kubelet ${packageFile.version}\n`);
else if (words[0] === 'supervise') await supervise(words[1] ?? '');
else if (words.includes('--help')) process.stdout.write((await import('./agent/flags.ts')).HELP);
else await agent();

async function supervise(directory: string): Promise<void> {
  const { runSupervisor } = await import('./guests/supervisor/main.ts');
  await runSupervisor(directory);
  // Nothing may keep a supervisor alive whose guest has ended.
  process.exit();
}

async function agent(): Promise<void> {
  const [{ parseFlags }, { runAgent }] = await Promise.all([
    import('./agent/flags.ts'),
    import('./agent/run-agent.ts'),
  ]);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort());
  try {
    await runAgent(parseFlags(words, hostname()), {
      clock: systemClock,
      environment: process.env,
      // launchd says whose the job is.
      user: process.env['USER'] ?? userInfo().username,
      version: packageFile.version,
      supervisor: [...itself, 'supervise'],
      signal: stop.signal,
    });
  } catch (error) {
    if (!stop.signal.aborted) {
      process.stderr.write(`tart-kubelet: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = FAILED;
    }
  }
  // Sockets of guests that run on would keep the process.
  process.exit();
}
