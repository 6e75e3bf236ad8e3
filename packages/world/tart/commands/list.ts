import { timestamp } from '@minifleet/clock';
import type { Call } from '../call.ts';
import { flag, option } from '../command-line/shape.ts';
import { GB } from '../host/host-file.ts';
import { swiftJson } from '../output/swift-json.ts';
import { relativeTime, table } from '../output/table.ts';
import { accessedAt, readFacts } from '../storage/bundle.ts';
import { listImages } from '../storage/image-cache.ts';
import { listLocal, type NamedBundle, stateOf } from '../storage/local-vms.ts';
import type { Command } from './command.ts';

interface Row {
  readonly source: string;
  readonly name: string;
  readonly diskGigabytes: number;
  readonly sizeGigabytes: number;
  readonly accessed: number;
  readonly state: string;
}

export const list: Command = {
  shape: {
    name: 'list',
    about: 'List created VMs',
    positional: [],
    options: [
      option('source', { oneOf: ['local', 'oci'] }),
      option('format', { oneOf: ['text', 'json'] }),
      flag('quiet', 'q'),
    ],
  },
  run(call, given) {
    const source = given.text('source');
    const rows = [
      ...(source === 'oci' ? [] : listLocal(call).map(entry => rowOf(call, 'local', entry))),
      ...(source === 'local' ? [] : listImages(call).map(entry => rowOf(call, 'OCI', entry))),
    ];
    if (given.has('quiet')) {
      for (const row of rows) call.out(row.name);
    } else call.out(given.text('format') === 'json' ? asJson(call, rows) : asText(call, rows));
  },
};

function rowOf(call: Call, source: string, entry: NamedBundle): Row {
  const facts = readFacts(entry.bundle);
  return {
    source,
    name: entry.name,
    diskGigabytes: Math.floor(facts.diskBytes / GB),
    sizeGigabytes: Math.floor(facts.allocatedBytes / GB),
    accessed: accessedAt(entry.bundle),
    state: stateOf(call, entry),
  };
}

/** `Size` is a number here and a string in `get` (facts 0, incident 10). */
const asJson = (call: Call, rows: readonly Row[]): string =>
  swiftJson(
    rows.map(row => ({
      Source: row.source,
      Name: row.name,
      Disk: row.diskGigabytes,
      Size: row.sizeGigabytes,
      Accessed: timestamp(row.accessed),
      Running: row.state === 'running',
      State: row.state,
    })),
    call.around.chance,
  );

const asText = (call: Call, rows: readonly Row[]): string =>
  table(
    ['Source', 'Name', 'Disk', 'Size', 'Accessed', 'State'],
    rows.map(row => [
      row.source,
      row.name,
      `${row.diskGigabytes}`,
      `${row.sizeGigabytes}`,
      relativeTime(row.accessed, call.around.clock.now()),
      row.state,
    ]),
  );
