import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearingOf, inPool } from './host-names.ts';
import { isPutAside } from './quarantine.ts';
import { PREFIX } from './testing/claims-bench.ts';
import { type FleetUnderTrouble, fleetUnderTrouble } from './testing/fleet-under-trouble.ts';
import { hostClaims } from './write-claim.ts';

const ROUNDS = 40;

for (const seed of ['one', 'two', 'three', 'four', 'five', 'six']) {
  test(`two providers at once, lost answers, old lists, crashes: one claim a host, one host a machine (${seed})`, async t => {
    const fleet = await fleetUnderTrouble({ seed, machines: 12, hosts: 10 });
    t.after(fleet.bench.close);
    for (let round = 0; round < ROUNDS; round++) await fleet.round();
    await fleet.comeToRest();
    assert.deepEqual(fleet.wipedInUse, []);
    await everyHostIsSomewhere(fleet);
    await everyMachineHasItsHost(fleet);
  });
}

const claimsOf = async ({ bench }: FleetUnderTrouble) => (await bench.api.client.list(hostClaims)).items;

/** At rest: in the pool, in a claim that is held and mirrored, or put aside. Nothing else. */
async function everyHostIsSomewhere(fleet: FleetUnderTrouble): Promise<void> {
  const { vendor, clock } = fleet.bench;
  const claims = await claimsOf(fleet);
  for (const { id, name } of vendor.all()) {
    const claim = claims.find(({ metadata }) => metadata.name === id);
    const where = claim?.spec.machineRef
      ? bearingOf(name, claim) === 'ours'
      : inPool(name, PREFIX) || (claim !== undefined && isPutAside(claim, clock.now()));
    assert.ok(where, `${id} is called ${name}, its claim says ${JSON.stringify(claim?.spec)}`);
  }
}

/** At rest: a machine holds what it names and nothing else, and waits only while no host is free. */
async function everyMachineHasItsHost(fleet: FleetUnderTrouble): Promise<void> {
  const { vendor, clock } = fleet.bench;
  const claims = await claimsOf(fleet);
  const machines = await fleet.machines();
  for (const { metadata, spec } of machines) {
    const held = claims.filter(claim => claim.spec.machineRef?.uid === metadata.uid).map(claim => claim.metadata.name);
    assert.deepEqual(held, spec.claimRef ? [spec.claimRef.name] : [], `machine ${metadata.name}`);
  }
  const aside = new Set(claims.filter(claim => isPutAside(claim, clock.now())).map(({ metadata }) => metadata.name));
  const free = vendor.all().filter(({ id, name }) => inPool(name, PREFIX) && !aside.has(id));
  const waiting = machines.filter(({ spec }) => !spec.claimRef);
  assert.ok(free.length === 0 || waiting.length === 0, `${waiting.length} wait, ${free.length} are free`);
}
