import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { milliseconds, pause, seconds } from '@minifleet/clock';
import { errorFields } from '@minifleet/kube/log';
import { exists, makeDirectoryDurably } from '../durable/write-durably.ts';

import type { Guest, GuestId, GuestSpec, Guests } from './guest.ts';
import { type GuestContext, GuestHandle, type RecoveredGuest } from './guest-handle.ts';
import { guestKey, parseGuestKey, parseGuestName } from './guest-name.ts';
import { REMOVED } from './guest-vm.ts';
import { InheritedGuest } from './inherited-guest.ts';
import { guestDirectory, guestsDirectory, quarantine, RECORD, readRecord, writeRecord } from './record.ts';

export interface GuestsOptions extends GuestContext {
  /** The agent's state directory, parent of the guests' folder. */
  readonly directory: string;
}

export interface OpenGuests extends Guests {
  /** Disconnects from all guests, which keep running, when the agent ends. */
  close(): void;
}

/** Runs the guests of this host with Tart. */
export function createGuests(options: GuestsOptions): OpenGuests {
  const guests = new Map<string, GuestHandle | InheritedGuest>();
  const listeners = new Set<(guest: Guest) => void>();
  const notify = (guest: Guest): void => {
    for (const listener of listeners) listener(guest);
  };
  const add = (spec: GuestSpec): GuestHandle => {
    const guest = new GuestHandle({
      context: options,
      spec,
      directory: guestDirectory(options.directory, spec.id),
      onChange: notify,
    });
    guests.set(guestKey(spec.id), guest);
    return guest;
  };
  const find = (id: GuestId): GuestHandle | InheritedGuest | undefined => guests.get(guestKey(id));
  return {
    recover: () => recover(options, { add, has: key => guests.has(key) }),
    async inherit(vms) {
      const fresh = vms.filter(({ id }) => !guests.has(guestKey(id)));
      for (const vm of fresh) {
        const guest = new InheritedGuest({ context: options, vm, onChange: notify });
        guests.set(guestKey(vm.id), guest);
        options.log.info({ vm: vm.name, pod: vm.pod }, 'VM of the previous agent taken over');
        await guest.watch();
      }
    },
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
      notify(guest);
      return guest.start(spec);
    },
    stop: async (id, grace) => find(id)?.stop(grace),
    async remove(id) {
      await find(id)?.remove();
      guests.delete(guestKey(id));
    },
    async exec(id, how) {
      const guest = find(id);
      if (!guest) throw new Error(`guest ${guestKey(id)} not found`);
      return guest.exec(how);
    },
    screen: async id => find(id)?.screen(),
    close() {
      for (const guest of guests.values()) guest.close();
      listeners.clear();
    },
  };
}

/** Finds every guest by its folder, then every VM owned by name that has no record. */
async function recover(options: GuestsOptions, known: GuestRegistry): Promise<void> {
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
      // An unreadable guest, for example on a full disk, must not keep others from being found.
      options.log.error({ guest: name, ...errorFields(error) }, 'Guest recovery failed');
    }),
  );
  await Promise.all(adopting);
  // A hanging Tart must not block the agent's start; these VMs are then found when it answers.
  await Promise.race([adoptUnrecorded(options, known), pause(options.clock, seconds(5))]);
}

interface RecoveredSpec extends RecoveredGuest {
  readonly spec: GuestSpec;
}

/** Undefined for a folder without a written record: nothing of that guest can exist. */
async function readSpec(options: GuestsOptions, id: GuestId): Promise<RecoveredSpec | undefined> {
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
    const why = record.found === 'corrupt' ? record.why : 'it belongs to another guest';
    options.log.error({ guest: guestKey(id), aside, why }, 'Guest record is unreadable; quarantined');
  }
  return { spec: await minimalSpec(options, id), record: 'lost' };
}

/** Builds a minimal spec to stop, report and remove a guest whose record is lost. */
async function minimalSpec(options: GuestsOptions, id: GuestId): Promise<GuestSpec> {
  const unknown = { pod: '', image: '', shares: [], freshIdentity: true, logFile: '', bootWithin: milliseconds(0) };
  const spec = { id, ...unknown };
  const directory = guestDirectory(options.directory, id);
  await makeDirectoryDurably(directory);
  const { tartPath: path, tartHome: home, onDurableWrite } = options;
  await writeRecord(directory, { spec, tart: { path, home } }, { onDurableWrite });
  return spec;
}

/** Registry of the guests found so far. */
interface GuestRegistry {
  readonly has: (key: string) => boolean;
  readonly add: (spec: GuestSpec) => GuestHandle;
}

/** Stops an owned VM without a folder and reports its exit as unknown. All other VMs are foreign (I28). */
async function adoptUnrecorded(options: GuestsOptions, known: GuestRegistry): Promise<void> {
  try {
    for (const vm of await options.tart.vms()) {
      const id = parseGuestName(vm.name);
      // Skips a VM whose folder exists but was unreadable.
      if (!id || known.has(guestKey(id)) || (await exists(guestDirectory(options.directory, id)))) continue;
      options.log.error({ vm: vm.name }, 'Owned VM has no record; stopping it');
      await known.add(await minimalSpec(options, id)).adopt({ record: 'lost' });
    }
  } catch (error) {
    options.log.error(errorFields(error), 'Could not list VMs; VMs without a record are stopped at the next start');
  }
}
