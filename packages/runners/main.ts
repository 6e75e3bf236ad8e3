#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { systemClock } from '@minifleet/clock';
import packageFile from './package.json' with { type: 'json' };

const FAILED = 1;
const words = process.argv.slice(2);

if (words.includes('--version')) process.stdout.write(`minifleet-runners ${packageFile.version}\n`);
else if (words.includes('--help')) process.stdout.write((await import('./program/flags.ts')).HELP);
else await runners();

async function runners(): Promise<void> {
  const [{ parseFlags }, { runRunners }] = await Promise.all([
    import('./program/flags.ts'),
    import('./program/run-runners.ts'),
  ]);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  try {
    await runRunners(parseFlags(words), {
      clock: systemClock,
      environment: process.env,
      output: process.stdout,
      random: randomBytes,
      identity: `${hostname()}_${randomBytes(4).toString('hex')}`,
      version: packageFile.version,
      signal: stop.signal,
    });
  } catch (error) {
    if (stop.signal.aborted) return;
    process.stderr.write(`minifleet-runners: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = FAILED;
  }
}
