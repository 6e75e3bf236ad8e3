#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { systemClock } from '@minifleet/clock';
import { runMain } from '@minifleet/kube/main';
import packageFile from './package.json' with { type: 'json' };

const { version } = packageFile;

await runMain(process, {
  program: 'minifleet-runners',
  version,
  help: async () => (await import('./program/flags.ts')).runnersFlags.help,
  async run(argv, signal) {
    const [{ runnersFlags }, { runRunners }] = await Promise.all([
      import('./program/flags.ts'),
      import('./program/run-runners.ts'),
    ]);
    await runRunners(runnersFlags.parse(argv), {
      clock: systemClock,
      environment: process.env,
      output: process.stdout,
      random: randomBytes,
      identity: `${hostname()}_${randomBytes(4).toString('hex')}`,
      version,
      signal,
    });
  },
});
