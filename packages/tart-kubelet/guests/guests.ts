import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { milliseconds, pause, seconds } from '@minifleet/clock';
import { errorFields } from '@minifleet/kube';
import { exists, makeDirectoryDurably } from '../durable/write-durably.ts';

import type { Guest, GuestId, GuestSpec, Guests } from './guest.ts';
import { type FoundGuest, type GuestContext, OneGuest } from './guest-handle.ts';
import { guestKey, parseGuestKey, parseGuestName } from './guest-name.ts';
import { REMOVED } from './guest-vm.ts';
import { guestDirectory, guestsDirectory, quarantine, RECORD, readRecord, writeRecord } from './record.ts';

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
    recover: () => recover(options, { add, has: key => guests.has(key) }),
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
    screen: async id => find(id)?.screen(),
    close() {
      for (const guest of guests.values()) guest.close();
      listeners.clear();
    },
  };
}

/** Finds every guest by its folder, and then every VM that is ours by its name though nobody remembers it. */
async function recover(options: GuestsOptions, known: Known): Promise<void> {
  const directory = guestsDirectory(options.directory);
  await makeDirectoryDurably(directory);
  const adopt = async (name: string): Promise<void> => {
    if (name.startsWith(REMOVED)) await rm(join(directory, name), { recursive: true, force: true });
    const id = parseGuestKey(name);
    const found = id && (await readSpec(options, id));
    if (found) await known.add(found.spec).adopt(found);
  };
  const adopting = (await readdir(directory)).map(name =>
    adopt(name).catch((error: unknown) => {
      // One that cannot be read, on a full disk say, keeps no other from being found.
      options.log.error({ guest: name, ...errorFields(error) }, 'a guest cannot be recovered');
    }),
  );
  await Promise.all(adopting);
  // A Tart that hangs must not keep the agent from starting; they are then found when it answers.
  await Promise.race([adoptForgotten(options, known), pause(options.clock, seconds(5))]);
}

interface FoundSpec extends FoundGuest {
  readonly spec: GuestSpec;
}

/** Undefined for a folder whose record was not yet written: nothing of that guest can exist. */
async function readSpec(options: GuestsOptions, id: GuestId): Promise<FoundSpec | undefined> {
  const directory = guestDirectory(options.directory, id);
  const record = await readRecord(directory);
  if (record.found === 'whole' && guestKey(record.value.spec.id) === guestKey(id)) {
    const { spec, boot } = record.value;
    return { spec, boot, record: 'whole' };
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

/** The guests of this host, while they are being found. */
interface Known {
  readonly has: (key: string) => boolean;
  readonly add: (spec: GuestSpec) => OneGuest;
}

/** A VM of ours without a folder is stopped, and reported as one whose end nobody saw. All others are not ours (I28). */
async function adoptForgotten(options: GuestsOptions, known: Known): Promise<void> {
  try {
    for (const vm of await options.tart.vms()) {
      const id = parseGuestName(vm.name);
      // Also one whose folder is there and could not be read.
      if (!id || known.has(guestKey(id)) || (await exists(guestDirectory(options.directory, id)))) continue;
      options.log.error({ vm: vm.name }, 'a VM of ours has no record: it is stopped');
      await known.add(await forgottenSpec(options, id)).adopt({ record: 'lost' });
    }
  } catch (error) {
    options.log.error(
      errorFields(error),
      'Tart’s VMs cannot be listed: forgotten ones are looked for at the next start',
    );
  }
}
