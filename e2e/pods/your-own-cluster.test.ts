import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { consoleBlocks, matchesPage } from '../../docs/testing/console-blocks.ts';
import { ADDRESSES } from './addresses.ts';
import { createOperator } from './operator.ts';
import { openPodsBench, type PodsBench } from './pods-bench.ts';

const page = readFileSync(new URL('../../docs/your-own-cluster.md', import.meta.url), 'utf8');
const VALUES = 'docs/examples/own-cluster-owned.values.yaml';

describe('docs/your-own-cluster.md with owned Macs, and the programs of the chart as Pods', () => {
  let bench: PodsBench;
  let values = '';
  before(async () => {
    bench = await openPodsBench();
    const addresses = parse(await readFile(bench.addressValues, 'utf8')) as object;
    values = await operator.write('values.yaml', stringify({ ...parse(await readFile(VALUES, 'utf8')), ...addresses }));
  });
  after(() => bench.stop());
  const operator = createOperator(() => bench);

  for (const { command, prints } of consoleBlocks(page)) {
    test(`docs/your-own-cluster.md: ${command}`, async t => {
      if (command.startsWith('helm upgrade --install minifleet ')) operator.startTimer();
      const isJob = command.includes('JobDone');
      if (isJob) assert.match(await operator.runJob(), /macOS/);
      const printed = await operator.run(await adapted(command));
      assert.ok(matchesPage(printed, prints), `output:\n${printed}\nexpected from the page:\n${prints.join('\n')}`);
      if (isJob) t.diagnostic(`${operator.elapsed()} from helm install to the first finished job`);
    });
  }

  /** The only differences from the page: addresses and ids of the simulation, and answers to the questions of `host add`. */
  async function adapted(command: string): Promise<string> {
    const { id, installationId, keyFile } = bench.world.githubApp;
    const text = command
      .replace(VALUES, values)
      .replace('app-id=123456', `app-id=${id}`)
      .replace('installation-id=12345678', `installation-id=${installationId}`)
      .replace('private-key=app.pem', `private-key=${keyFile}`)
      .replace('admin@', 'm1@');
    const mac = ADDRESSES.ownedMacs.findIndex(address => command.includes(`host add admin@${address} `));
    if (mac === -1) return text;
    const password = await operator.write(`password-${mac}`, bench.world.passwords[mac] ?? '');
    return `${text} --yes --accept-new-host-key --password-file ${password}`;
  }
});
