import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type MemoryVendor,
  type MemoryVendorOptions,
  memoryServer,
  memoryVendor,
  SEQUOIA,
  TAHOE,
} from '@minifleet/vendors/testing';
import type { MachineParts } from '../parts.ts';
import { scopeOf } from '../testing/scope-of.ts';
import { osImageCurrent } from './os-image.ts';

const server = memoryServer(1);
const partsWith = (vendor: MemoryVendor) => ({ vendors: { for: async () => vendor } }) as unknown as MachineParts;
const newer = { ...TAHOE, name: 'macos-tahoe-26.7', version: '26.7' };

describe('the image of a host', () => {
  const table: readonly (readonly [string, string, MemoryVendorOptions, string, RegExp])[] = [
    ['is offered', TAHOE.name, {}, 'passed ImageOffered', /the host runs macos-tahoe-26.3/],
    ['is of the family that is asked for', 'Tahoe', {}, 'passed ImageOffered', /newest image of family Tahoe/],
    [
      'I31 is retired: its family is used and it is said',
      TAHOE.name,
      { images: [newer] },
      'noted ImageRetired',
      /26\.7/,
    ],
    ['is of a family no longer offered', TAHOE.name, { images: [SEQUOIA] }, 'noted FamilyNotOffered', /offers Sequoia/],
    [
      'is nobody’s matter where none is installed',
      'Tahoe',
      { can: { reinstall: false } },
      'passed ImageOffered',
      /cannot install images/,
    ],
  ];
  for (const [name, os, vendor, wanted, words] of table) {
    test(name, async () => {
      const scope = scopeOf({ spec: { os }, found: { server } });
      const end = await osImageCurrent.run(scope, partsWith(memoryVendor(vendor)));
      assert.equal(`${end.kind} ${end.reason}`, wanted);
      assert.match(end.message ?? '', words);
    });
  }

  test('stops nothing when the catalogue cannot be read', async () => {
    const vendor = memoryVendor();
    vendor.failNext({ call: 'images', when: 'before' });
    const end = await osImageCurrent.run(scopeOf({ found: { server } }), partsWith(vendor));
    assert.equal(`${end.kind} ${end.reason}`, 'noted CatalogueUnavailable');
    assert.ok(end.again);
  });

  test('is asked for again only when the spec changed since it was offered, or while it is not', async () => {
    const vendor = memoryVendor();
    const asked = async (status: 'True' | 'False', generation: number) => {
      const before = vendor.calls.length;
      const scope = scopeOf({ found: { server } }, { OSImageCurrent: status });
      scope.samm.metadata.generation = generation;
      await osImageCurrent.run(scope, partsWith(vendor));
      return vendor.calls.length - before;
    };
    assert.equal(await asked('True', 1), 0);
    assert.equal(await asked('True', 2), 1);
    assert.equal(await asked('False', 1), 1);
  });
});
