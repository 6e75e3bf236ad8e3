import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { findCondition } from '@minifleet/kube';
import type { Vendor } from '@minifleet/vendors';
import { type MemoryVendorOptions, memoryServer, memoryVendor, SEQUOIA, TAHOE } from '@minifleet/vendors/testing';
import type { HandlerDeps, HostScope } from './host-scope.ts';
import { createImageCatalogue, noteOSImage } from './os-image.ts';
import { heldHost } from './testing/held-host.ts';

const server = memoryServer(1);
const newer = { ...TAHOE, name: 'macos-tahoe-26.7', version: '26.7' };

async function note(os: string | undefined, vendor: Vendor | undefined) {
  const clock = fakeClock();
  const host = heldHost({ desired: { nodeName: 'a', ...(os === undefined ? {} : { os }) } });
  const deps: Pick<HandlerDeps, 'clock' | 'images'> = { clock, images: createImageCatalogue(clock, minutes(5)) };
  await noteOSImage({ host, server, vendor } as unknown as HostScope, deps as HandlerDeps);
  const { status, reason, message = '' } = findCondition(host, 'OSImageCurrent') ?? {};
  return { value: `${status} ${reason}`, message };
}

type Row = readonly [string, string | undefined, MemoryVendorOptions | undefined, string, RegExp];

const rows: readonly Row[] = [
  ['an image that is offered', TAHOE.name, {}, 'True ImageOffered', /the host runs macos-tahoe-26.3/],
  ['a family', 'Tahoe', {}, 'True ImageOffered', /newest image of family Tahoe/],
  ['no image', undefined, {}, 'True ImageOffered', /macos-tahoe-26.3/],
  ['I31 a retired image of an offered family', TAHOE.name, { images: [newer] }, 'False ImageRetired', /26\.7/],
  ['I31 a family that is not offered', TAHOE.name, { images: [SEQUOIA] }, 'False FamilyNotOffered', /offers Sequoia/],
  [
    'any image where the vendor installs none',
    'Tahoe',
    { can: { reinstall: false } },
    'True ImageOffered',
    /cannot install images/,
  ],
  ['any image of an owned Mac', 'Tahoe', undefined, 'True ImageOffered', /an owned Mac keeps its macOS/],
];
for (const [name, os, vendor, value, message] of rows)
  test(`OSImageCurrent for ${name}: ${value}`, async () => {
    const noted = await note(os, vendor && memoryVendor(vendor));
    assert.equal(noted.value, value);
    assert.match(noted.message, message);
  });

test('I31 OSImageCurrent is False while the image catalogue is unreachable, and nothing is thrown', async () => {
  const vendor = memoryVendor();
  vendor.failNext({ call: 'images', when: 'before' });
  assert.equal((await note('Tahoe', vendor)).value, 'False CatalogueUnavailable');
});

test('I31 the image catalogue is read once in five minutes for all hosts of a zone and type', async () => {
  const clock = fakeClock();
  const vendor = memoryVendor();
  const images = createImageCatalogue(clock, minutes(5));
  const calls = async (numbers: readonly number[], more = {}): Promise<number> => {
    const before = vendor.calls.length;
    await Promise.all(numbers.map(number => images(vendor, memoryServer(number, more))));
    return vendor.calls.length - before;
  };
  const fleet = Array.from({ length: 100 }, (_, index) => index + 1);
  assert.equal(await calls(fleet), 1);
  await clock.advance(minutes(4));
  assert.equal(await calls(fleet), 0);
  assert.equal(await calls([1], { type: 'M1-M' }), 1, 'another type has another catalogue');
  assert.equal(await calls([1], { zone: 'nl-ams-1' }), 1, 'another zone has another catalogue');
  await clock.advance(minutes(1));
  assert.equal(await calls(fleet), 1);
});
