#!/usr/bin/env node
import { systemClock } from '@minifleet/clock';
import { runCli } from './cli.ts';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort(name));

process.exitCode = await runCli(process.argv.slice(2), {
  clock: systemClock,
  output: process.stdout,
  errors: process.stderr,
  signal: stop.signal,
});
