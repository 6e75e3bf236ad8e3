/** The behaviours every `Guests` must show, whatever runs them: `guests.contract.test.ts` has those of Tart, `synthetic/` its own. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { milliseconds, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { Guest, GuestExit, GuestSpec, Guests } from '../guest.ts';

export type GuestConduct =
  | 'its process ends with 0'
  | 'its process ends with 7'
  | 'it runs until it is stopped'
  | 'it ignores its shutdown'
  | 'it crashes'
  | 'it halts by itself';

interface GuestsUnderTest {
  readonly guests: Guests;
  /** A new guest that behaves so, once started. */
  readonly spec: (conduct: GuestConduct) => GuestSpec;
  /** Resolves when the running guest behaves as it was asked to. */
  readonly settled?: (spec: GuestSpec) => Promise<unknown>;
}

interface Context {
  after(clean: () => Promise<void>): void;
}

type MakeGuests = (context: Context) => Promise<GuestsUnderTest>;

const exitOf = (guests: Guests, { id }: GuestSpec): Promise<GuestExit> =>
  eventually(() => {
    const state = guests.find(id)?.state;
    return state?.phase === 'exited' ? state.exit : undefined;
  });

const isRunning = (guests: Guests, { id }: GuestSpec): Promise<true> =>
  eventually(() => guests.find(id)?.state.phase === 'running');

export function guestsContract(name: string, make: MakeGuests): void {
  describeLives(name, make);
  describeStops(name, make);
  describeCommands(name, make);
}

function describeLives(name: string, make: MakeGuests): void {
  for (const [conduct, code, reason] of [
    ['its process ends with 0', 0, 'Completed'],
    ['its process ends with 7', 7, 'Error'],
    ['it crashes', 1, 'VMCrashed'],
    ['it halts by itself', 0, 'Completed'],
  ] as const) {
    void test(`${name}: a guest exits with ${code} ${reason} when ${conduct}`, async context => {
      const { guests, spec } = await make(context);
      const guest = spec(conduct);
      await guests.start(guest);
      const exit = await exitOf(guests, guest);
      assert.deepEqual([exit.exitCode, exit.reason], [code, reason]);
      assert.ok(exit.startedAt !== undefined && exit.finishedAt >= exit.startedAt);
    });
  }

  void test(`${name}: all phases from creation to exit are reported in order`, async context => {
    const { guests, spec } = await make(context);
    const guest = spec('its process ends with 0');
    const phases: string[] = [];
    guests.onChange(({ state }) => phases.push(state.phase));
    await guests.start(guest);
    await exitOf(guests, guest);
    assert.deepEqual(phases, ['creating', 'starting', 'running', 'exited']);
  });

  void test(`${name}: a running guest has an address and is found by its id`, async context => {
    const { guests, spec } = await make(context);
    const guest = spec('it runs until it is stopped');
    await guests.start(guest);
    await isRunning(guests, guest);
    const state = guests.find(guest.id)?.state;
    assert.match(state?.phase === 'running' ? (state.address ?? '') : '', /^\d+\.\d+\.\d+\.\d+$/);
    assert.deepEqual(
      guests.all().map(guest => guest.spec.id),
      [guest.id],
    );
    assert.equal(guests.find({ ...guest.id, attempt: 9 }), undefined);
    await guests.stop(guest.id, seconds(5));
  });

  void test(`${name}: a second start of the same guest starts nothing`, async context => {
    const { guests, spec } = await make(context);
    const guest = spec('it runs until it is stopped');
    const began: Guest[] = [];
    guests.onChange(guest => guest.state.phase === 'starting' && began.push(guest));
    await guests.start(guest);
    await guests.start(guest);
    assert.equal(began.length, 1);
    await guests.stop(guest.id, seconds(5));
  });
}

function describeStops(name: string, make: MakeGuests): void {
  void test(`${name}: a stopped guest has exited, and a second stop succeeds`, async context => {
    const { guests, spec } = await make(context);
    const guest = spec('it runs until it is stopped');
    await guests.start(guest);
    await isRunning(guests, guest);
    await guests.stop(guest.id, seconds(20));
    assert.equal(guests.find(guest.id)?.state.phase, 'exited');
    await guests.stop(guest.id, seconds(20));
  });

  void test(`${name}: a guest that ignores its shutdown is killed within its grace period`, async context => {
    const { guests, spec, settled } = await make(context);
    const guest = spec('it ignores its shutdown');
    await guests.start(guest);
    await isRunning(guests, guest);
    await settled?.(guest);
    await guests.stop(guest.id, seconds(2));
    const exit = await exitOf(guests, guest);
    assert.deepEqual([exit.exitCode, exit.reason], [137, 'Killed']);
  });

  void test(`${name}: a second stop can shorten the grace period of a guest`, async context => {
    const { guests, spec, settled } = await make(context);
    const guest = spec('it ignores its shutdown');
    await guests.start(guest);
    await isRunning(guests, guest);
    await settled?.(guest);
    const patient = guests.stop(guest.id, seconds(3_600));
    await guests.stop(guest.id, milliseconds(100));
    await patient;
    assert.equal(guests.find(guest.id)?.state.phase, 'exited');
  });

  void test(`${name}: only an exited guest can be removed`, async context => {
    const { guests, spec } = await make(context);
    const guest = spec('it runs until it is stopped');
    await guests.start(guest);
    await isRunning(guests, guest);
    await assert.rejects(guests.remove(guest.id));
    await guests.stop(guest.id, seconds(5));
    await guests.remove(guest.id);
    await guests.remove(guest.id);
    assert.deepEqual(guests.all(), []);
  });
}

function describeCommands(name: string, make: MakeGuests): void {
  void test(`${name}: exec passes input and returns output and exit code`, async context => {
    const { guests, spec } = await make(context);
    const guest = spec('it runs until it is stopped');
    await guests.start(guest);
    await isRunning(guests, guest);
    const session = await guests.exec(guest.id, { argv: ['cat'], stdin: true });
    session.stdin.end('through the guest');
    assert.equal(await text(session.stdout), 'through the guest');
    assert.equal(await session.exited, 0);
    await guests.stop(guest.id, seconds(5));
  });

  void test(`${name}: exec in a guest that does not run is rejected`, async context => {
    const { guests, spec } = await make(context);
    const guest = spec('its process ends with 0');
    await guests.start(guest);
    await exitOf(guests, guest);
    await assert.rejects(guests.exec(guest.id, { argv: ['true'], stdin: false }));
  });
}
