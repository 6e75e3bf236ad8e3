import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { milliseconds } from '@minifleet/clock';
import { errorFields } from '@minifleet/kube';
import { makeDirectoryDurably } from '../durable/write-durably.ts';
import type { Guest, GuestId, GuestSpec, Guests } from './guest.ts';
import { guestKey, parseGuestKey, parseGuestName } from './guest-name.ts';
import { type GuestContext, OneGuest } from './one-guest.ts';
import { guestDirectory, guestsDirectory, quarantine, RECORD, readRecord, writeRecord } from './record.ts';
import { REMOVED } from './remove-guest.ts';

export interface GuestsOptions extends GuestContext {
  /** The agent's state directory; the guests are below it. */
  readonly directory: string;
}

export interface OpenGuests extends Guests {
  /** Lets go of all guests, which run on: for the end of the agent. */
  close(): void;
}

/** The guests of this host, run by Tart. */
export function createGuests(options: GuestsOptions): OpenGuests {
  const guests = new Map<string, OneGuest>();
  const listeners = new Set<(guest: Guest) => void>();
  const tell = (guest: Guest): void => {
    for (const listener of listeners) listener(guest);
  };
  const add = (spec: GuestSpec): OneGuest => {
    const guest = new OneGuest({
      context: options,
      spec,
      directory: guestDirectory(options.directory, spec.id),
      onChange: tell,
    });
    guests.set(guestKey(spec.id), guest);
    return guest;
  };
  const find = (id: GuestId): OneGuest | undefined => guests.get(guestKey(id));
  return {
    recover: () => recover(options, add),
    all: () => [...guests.values()],
    find,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async start(spec) {
      const known = find(spec.id);
      if (known) return known.start(spec);
      const guest = add(spec);
      tell(guest);
      return guest.start(spec);
    },
    stop: async (id, grace) => find(id)?.stop(grace),
    async remove(id) {
      await find(id)?.remove();
      guests.delete(guestKey(id));
    },
    async exec(id, how) {
      const guest = find(id);
      if (!guest) throw new Error(`there is no guest ${guestKey(id)}`);
      return guest.exec(how);
    },
    close() {
      for (const guest of guests.values()) guest.close();
      listeners.clear();
    },
  };
}

/** Finds every guest by its folder, and then every VM that is ours by its name though nobody remembers it. */
async function recover(options: GuestsOptions, add: (spec: GuestSpec) => OneGuest): Promise<void> {
  const directory = guestsDirectory(options.directory);
  await makeDirectoryDurably(directory);
  const known = new Set<string>();
  const adopted = (await readdir(directory)).map(async name => {
    if (name.startsWith(REMOVED)) return rm(join(directory, name), { recursive: true, force: true });
    const id = parseGuestKey(name);
    const found = id && (await readSpec(options, id));
    if (!found) return undefined;
    known.add(name);
    return add(found.spec).adopt(found.record);
  });
  await Promise.all(adopted);
  await adoptForgotten(options, { known, add });
}

interface FoundSpec {
  readonly spec: GuestSpec;
  readonly record: 'whole' | 'lost';
}

/** Undefined for a folder whose record was not yet written: nothing of that guest can exist. */
async function readSpec(options: GuestsOptions, id: GuestId): Promise<FoundSpec | undefined> {
  const directory = guestDirectory(options.directory, id);
  const record = await readRecord(directory);
  if (record.found === 'whole' && guestKey(record.value.spec.id) === guestKey(id)) {
    return { spec: record.value.spec, record: 'whole' };
  }
  if (record.found === 'missing') {
    if ((await readdir(directory)).every(file => file.startsWith('.'))) return undefined;
  } else {
    const aside = await quarantine(directory, RECORD, options.clock.now());
    const why = record.found === 'corrupt' ? record.why : 'it is another guest’s';
    options.log.error({ guest: guestKey(id), aside, why }, 'the record of a guest cannot be read');
  }
  return { spec: await forgottenSpec(options, id), record: 'lost' };
}

/** Enough of a spec to stop, report and remove a guest whose own is lost. */
async function forgottenSpec(options: GuestsOptions, id: GuestId): Promise<GuestSpec> {
  const unknown = { pod: '', image: '', shares: [], freshIdentity: true, logFile: '', bootWithin: milliseconds(0) };
  const spec = { id, ...unknown };
  const directory = guestDirectory(options.directory, id);
  await makeDirectoryDurably(directory);
  const { tartPath: path, tartHome: home, onDurableWrite } = options;
  await writeRecord(directory, { spec, tart: { path, home } }, { onDurableWrite });
  return spec;
}

interface Forgotten {
  readonly known: ReadonlySet<string>;
  readonly add: (spec: GuestSpec) => OneGuest;
}

/** A VM of ours without a folder is stopped, and reported as one whose end nobody saw. All others are not ours (I28). */
async function adoptForgotten(options: GuestsOptions, { known, add }: Forgotten): Promise<void> {
  try {
    for (const vm of await options.tart.vms()) {
      const id = parseGuestName(vm.name);
      if (!id || known.has(guestKey(id))) continue;
      options.log.error({ vm: vm.name }, 'a VM of ours has no record: it is stopped');
      await add(await forgottenSpec(options, id)).adopt('lost');
    }
  } catch (error) {
    options.log.error(
      errorFields(error),
      'Tart’s VMs cannot be listed: forgotten ones are looked for at the next start',
    );
  }
}
