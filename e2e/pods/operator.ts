/** Steps of an operator in the tests of this folder, all in one shell. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seconds } from '@minifleet/clock';
import type { PodsBench } from './pods-bench.ts';

export interface Operator {
  /** Runs a command and returns its output. A failed command fails the test, with the state of Pods and Node. */
  run(command: string): Promise<string>;
  /** Installs CRDs and chart with a values file of the repository; further flags are for the chart. */
  install(values: string, ...flags: readonly string[]): Promise<void>;
  storeGithubApp(): Promise<void>;
  /** Writes a file of the operator and returns its path. */
  write(name: string, text: string): Promise<string>;
  /** Queues a job at GitHub and returns its log after its success. */
  runJob(): Promise<string>;
  startTimer(): void;
  /** Seconds since the installation began. */
  elapsed(): string;
}

const CRDS = 'helm upgrade --install minifleet-crds charts/minifleet-crds -n minifleet-system --create-namespace';
const CHART = 'helm upgrade --install minifleet charts/minifleet -n minifleet-system';

export function createOperator(bench: () => PodsBench): Operator {
  let installing = Date.now();
  let failed: string | undefined;
  const elapsed = (): string => `${((Date.now() - installing) / 1_000).toFixed(1)} s`;
  const run = async (command: string): Promise<string> => {
    assert.equal(failed, undefined, 'an earlier command failed');
    const { code, printed } = await bench().shell.run(command);
    process.stdout.write(`$ ${command}\n${printed}`);
    if (code !== 0) {
      failed = command;
      assert.fail(`${command}\n${printed}\n${await bench().describe()}`);
    }
    return printed;
  };
  const write = async (name: string, text: string): Promise<string> => {
    const file = join(bench().home, name);
    await writeFile(file, text);
    return file;
  };
  return {
    run,
    write,
    startTimer: () => {
      installing = Date.now();
    },
    elapsed,
    async install(values, ...flags) {
      installing = Date.now();
      await run(CRDS);
      await run([CHART, '-f', values, '-f', bench().addressValues, ...flags].join(' '));
      for (const name of ['minifleet-provider', 'minifleet-runners'])
        await run(`kubectl rollout status deployment/${name} -n minifleet-system --timeout=3m`);
    },
    async storeGithubApp() {
      const { id, installationId, keyFile } = bench().world.githubApp;
      await run(
        `kubectl create secret generic github-app -n tuist-runners --from-literal=app-id=${id} --from-literal=installation-id=${installationId} --from-file=private-key=${keyFile}`,
      );
    },
    async runJob() {
      await run('kubectl wait runnerpool/macos-26 -n tuist-runners --for=condition=Ready --timeout=3m');
      const job = bench().world.github.queueJob({
        name: 'hello',
        labels: ['macos-26'],
        script: 'sw_vers -productName',
        takes: seconds(1),
        repository: 'acme/app',
      });
      assert.equal(await job.ended, 'success', job.log);
      return job.log;
    },
  };
}
