#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { systemClock } from '@minifleet/clock';
import { runMain } from '@minifleet/kube/main';
import packageFile from './package.json' with { type: 'json' };

const { version } = packageFile;

await runMain(process, {
  program: 'minifleet-provider',
  version,
  help: async () => (await import('./settings/flags.ts')).providerFlags.help,
  async run(argv, signal) {
    const [{ providerFlags }, { runProvider }] = await Promise.all([
      import('./settings/flags.ts'),
      import('./program/run-provider.ts'),
    ]);
    await runProvider(providerFlags.parse(argv), {
      clock: systemClock,
      environment: process.env,
      output: process.stdout,
      random: randomBytes,
      identity: `${hostname()}_${randomBytes(4).toString('hex')}`,
      version,
      signal,
    });
  },
  commands: {
    async 'wait-for-fleets'(argv, signal) {
      const { runGate } = await import('./fleet-gate/run-gate.ts');
      // A signal that stops the wait is a failure: the fleets were not observed to be Available.
      process.exitCode = 1;
      await runGate(argv, { clock: systemClock, environment: process.env, output: process.stdout, signal });
      process.exitCode = 0;
    },
  },
});
