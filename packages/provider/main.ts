#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { systemClock } from '@minifleet/clock';
import packageFile from './package.json' with { type: 'json' };

const FAILED = 1;
const words = process.argv.slice(2);

if (words.includes('--version')) process.stdout.write(`minifleet-provider ${packageFile.version}\n`);
else if (words[0] === 'wait-for-fleets') await untilStopped(gate);
else if (words.includes('--help')) process.stdout.write((await import('./program/flags.ts')).HELP);
else await untilStopped(provider);

async function provider(signal: AbortSignal): Promise<void> {
  const [{ parseFlags }, { runProvider }] = await Promise.all([
    import('./program/flags.ts'),
    import('./program/run-provider.ts'),
  ]);
  await runProvider(parseFlags(words), {
    clock: systemClock,
    environment: process.env,
    output: process.stdout,
    random: randomBytes,
    identity: `${hostname()}_${randomBytes(4).toString('hex')}`,
    version: packageFile.version,
    signal,
  });
}

async function gate(signal: AbortSignal): Promise<void> {
  const { runGate } = await import('./fleet-gate/run-gate.ts');
  // Whoever is stopped while waiting has not seen the fleets Available.
  process.exitCode = FAILED;
  await runGate(words.slice(1), { clock: systemClock, environment: process.env, output: process.stdout, signal });
  process.exitCode = 0;
}

async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  try {
    await work(stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return;
    process.stderr.write(`minifleet-provider: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = FAILED;
  }
}
