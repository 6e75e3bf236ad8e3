import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { ROOT } from './built-agent.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Replaces the parts of a screen that differ between runs: generated names, IDs, ages, addresses, and the order of conditions. Columns
 * keep their positions.
 */
export function normalizeScreen(text: string, machines: readonly ScalewayAppleSiliconMachine[]): string {
  const known = machines.toSorted((one, other) => one.metadata.name.localeCompare(other.metadata.name));
  const named = known.reduce((shown, { metadata, spec }, index) => {
    const [fleet = '', set = '', own = ''] = metadata.name.split('-');
    const letter = LETTERS[index] ?? '';
    return shown
      .replaceAll(spec.claimRef?.name ?? '', id => id.replaceAll(/[0-9a-f]/g, letter))
      .replaceAll(metadata.name, `${fleet}-${'x'.repeat(set.length)}-${letter.repeat(own.length)}`);
  }, text);
  const steady = named
    .replaceAll(/(?<=\s)(\d+[smh])+(?=\s|$)/gm, age => '5s'.padEnd(age.length))
    .replace(/AGE +WHY/, 'AGE   WHY')
    .replaceAll(/\d+\.\d+\.\d+\.\d+:\d+/g, '203.0.113.1:6443')
    .replaceAll(/[ \t]+$/gm, '');
  return steady.replaceAll(CONDITIONS, inOrder);
}

/** Conditions in clusterctl's tree, which have no namespace. */
const CONDITIONS = /(?:^[│ ]* {8}[├└]─\w+ .*\n)+/gm;

function inOrder(block: string): string {
  const lines = block.split('\n').slice(0, -1);
  const sorted = lines.map(line => line.replace('└', '├')).toSorted();
  return `${sorted.with(-1, (sorted.at(-1) ?? '').replace('├', '└')).join('\n')}\n`;
}

/** Compares the output with docs/screens for up to 10 s. On a difference the error names a file with the current output. */
export async function assertScreen(name: string, print: () => Promise<string>): Promise<void> {
  const kept = readFileSync(join(ROOT, 'docs/screens', name), 'utf8');
  let printed = '';
  const shown = eventually(
    async () => {
      printed = await print();
      return printed === kept;
    },
    { deadline: seconds(10), interval: seconds(0.2) },
  );
  await shown.catch(() => {
    const now = join(mkdtempSync(join(tmpdir(), 'minifleet-screens-')), name);
    writeFileSync(now, printed);
    assert.equal(printed, kept, `cp ${now} docs/screens/${name}`);
  });
}
