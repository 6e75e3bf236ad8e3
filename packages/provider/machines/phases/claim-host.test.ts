import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type HostClaim, hostClaim } from '@minifleet/api';
import { CataloguedError } from '@minifleet/errors';
import { VENDOR_REFUSED } from '@minifleet/vendors';
import { memoryId, memoryServer } from '@minifleet/vendors/testing';
import type { Claims, Standing } from '../../claims/claims.ts';
import type { MachineParts } from '../parts.ts';
import { fakeParts } from '../testing/fake-parts.ts';
import { fakeWork } from '../testing/fake-work.ts';
import { scopeOf } from '../testing/scope-of.ts';
import { claimHost } from './claim-host.ts';

const server = memoryServer(1, { name: 'a' });
const claim: HostClaim = {
  apiVersion: hostClaim.apiVersion,
  kind: 'HostClaim',
  metadata: { name: memoryId(1) },
  spec: { zone: 'fr-par-1', claimEpoch: 2 },
  status: { vendorName: 'a' },
};
const held: Standing = { kind: 'held', claim, server, mirrored: true };
const claimRef = { name: memoryId(1), epoch: 2 };

function partsWith(claims: Partial<Claims>) {
  const work = fakeWork();
  work.put({ name: 'a' }, 'uid-of-a', { kind: 'running' });
  const untouched = async () => assert.fail('the vendor was asked');
  const parts = { claims: { mirror: untouched, take: untouched, ...claims }, work } as unknown as MachineParts;
  return { parts, work };
}
const own = { rediscover: async () => claim };

describe('the claim of a machine', () => {
  test('that holds and is shown costs nothing at the vendor', async () => {
    const scope = scopeOf({ spec: { claimRef } });
    const { parts, work } = partsWith({ ...own, standing: async () => held });
    const end = await claimHost.run(scope, parts);
    assert.equal(`${end.kind} ${end.reason}`, 'passed HostClaimed');
    assert.equal(scope.found.server, server);
    assert.deepEqual(work.cancelled, []);
  });

  test('that is in another epoch than spec says is written down first; nothing else happens in that pass', async () => {
    const scope = scopeOf({ spec: { claimRef: { ...claimRef, epoch: 1 } } });
    const { parts } = partsWith({ ...own, standing: async () => assert.fail('it was looked at') });
    const end = await claimHost.run(scope, parts);
    assert.equal(`${end.kind} ${end.reason}`, 'waiting ReservationPending');
    assert.deepEqual(scope.samm.spec.claimRef, claimRef);
    assert.equal(scope.found.server, undefined);
  });

  for (const [what, standing] of [
    ['the vendor does not show it', { ...held, mirrored: false }],
    ['nobody wrote down that the vendor shows it', { ...held, claim: { ...claim, status: {} } }],
  ] as const) {
    test(`is mirrored when ${what}`, async () => {
      let mirrored = 0;
      const mirror = async (): Promise<Standing> => {
        mirrored += 1;
        return { ...held, mirrored: false };
      };
      const { parts } = partsWith({ ...own, standing: async () => standing, mirror });
      const end = await claimHost.run(scopeOf({ spec: { claimRef } }), parts);
      assert.equal(mirrored, 1);
      assert.equal(`${end.kind} ${end.reason}`, 'waiting ReservationPending');
    });
  }

  for (const reason of ['ClaimConflict', 'ClaimLost', 'HostVanished'] as const) {
    test(`that is not held (${reason}) stops what runs on the host, and the list`, async () => {
      const standing = async (): Promise<Standing> => ({ kind: 'not held', reason, why: 'b has it' });
      const { parts, work } = partsWith({ rediscover: async () => undefined, standing });
      const scope = scopeOf({ spec: { claimRef }, claim });
      const end = await claimHost.run(scope, parts);
      assert.equal(`${end.kind} ${end.reason} ${end.message}`, `waiting ${reason} b has it`);
      assert.deepEqual(work.cancelled, ['b has it']);
      assert.deepEqual(scope.samm.spec.claimRef, claimRef, 'it keeps naming what it had');
    });
  }

  test('I13 that another machine holds leaves this one without the host’s id: its deletion must not drain the other’s Node', async () => {
    const why = 'b has it';
    const ends = (['ClaimConflict', 'ClaimLost', 'HostVanished'] as const).map(async reason => {
      const standing = async (): Promise<Standing> => ({ kind: 'not held', reason, why });
      const { parts } = partsWith({ rediscover: async () => undefined, standing });
      const scope = scopeOf({ spec: { claimRef, providerID: 'scaleway-applesilicon://fr-par-1/1' }, claim });
      await claimHost.run(scope, parts);
      return [reason, scope.samm.spec.providerID === undefined];
    });
    assert.deepEqual(Object.fromEntries(await Promise.all(ends)), {
      ClaimConflict: true,
      // Nobody else has it: it is still the only one with that id.
      ClaimLost: false,
      HostVanished: false,
    });
  });

  test('of a machine that still tells of a host given up is not made before that is forgotten', async () => {
    const scope = scopeOf();
    const lastTransitionTime = '2030-01-01T00:00:00Z';
    scope.samm.status = { steps: [{ name: '(giving-up)', state: 'Waiting', lastTransitionTime }] };
    const { parts } = partsWith({ rediscover: async () => assert.fail('it was looked for') });
    const end = await claimHost.run(scope, { ...parts, credentials: fakeParts([]).credentials });
    assert.equal(`${end.kind} ${end.reason}`, 'waiting HostGivenUp');
    assert.deepEqual([scope.samm.spec.claimRef, scope.samm.status.steps], [undefined, undefined]);
    assert.ok(end.again, 'nobody is woken by a status');
  });

  test('that the vendor refuses is tried again by the clock: nobody tells us when its rights are back', async () => {
    const standing = async () => {
      throw VENDOR_REFUSED({ vendor: 'scaleway', call: 'servers', why: 'no rights' });
    };
    const { parts } = partsWith({ ...own, standing });
    await assert.rejects(claimHost.run(scopeOf({ spec: { claimRef } }), parts), (error: unknown) => {
      assert.ok(error instanceof CataloguedError);
      assert.equal(error.reason, 'VendorUnavailable');
      assert.equal(typeof error.retry, 'object');
      assert.match(error.message, /no rights/);
      return true;
    });
  });
});
