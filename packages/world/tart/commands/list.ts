import { timestamp } from '@minifleet/clock';
import { flag, option } from '../command-line/parse-arguments.ts';
import { GB } from '../host/host-file.ts';
import { relativeTime, swiftJson, table } from '../output/progress.ts';
import { accessedAt, readConfig, readFacts } from '../storage/bundle.ts';
import { listImages } from '../storage/image-cache.ts';
import { listLocal, type NamedBundle, openLocal, stateOf } from '../storage/local-vms.ts';
import type { TartCall } from '../tart-call.ts';
import { first, type TartCommand, VM_NAME } from './tart-command.ts';

/** Local names only; a remote one does not exist here. */
export const get: TartCommand = {
  shape: {
    name: 'get',
    about: "Get a VM's configuration",
    positional: [VM_NAME],
    options: [option('format', { oneOf: ['text', 'json'] })],
  },
  run(call, given) {
    const name = first(given);
    const bundle = openLocal(call, name);
    const config = readConfig(bundle);
    const facts = readFacts(bundle);
    const state = stateOf(call, { name, bundle });
    const shown = {
      OS: config.os,
      CPU: config.cpuCount,
      Memory: Math.floor(config.memorySize / 1024 ** 2),
      Disk: Math.floor(facts.diskBytes / GB),
      DiskFormat: config.diskFormat,
      Size: (facts.allocatedBytes / GB).toFixed(3),
      Display: `${config.display.width}x${config.display.height}${config.display.unit ?? ''}`,
      Running: state === 'running',
      State: state,
    };
    if (given.text('format') === 'json') return call.out(swiftJson(shown, call.around.chance));
    const { Running: _, ...columns } = shown;
    call.out(table(Object.keys(columns), [Object.values(columns).map(value => `${value}`)]));
  },
};

interface VmRow {
  readonly source: string;
  readonly name: string;
  readonly diskGigabytes: number;
  readonly sizeGigabytes: number;
  readonly accessed: number;
  readonly state: string;
}

export const list: TartCommand = {
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

function rowOf(call: TartCall, source: string, entry: NamedBundle): VmRow {
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
const asJson = (call: TartCall, rows: readonly VmRow[]): string =>
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

const asText = (call: TartCall, rows: readonly VmRow[]): string =>
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
