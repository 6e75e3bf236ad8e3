import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatBytes, formatSkew } from './facts-view.ts';
import { bootTimeFrom, diskFrom, macosFrom, numberIn, skewFrom } from './parse-facts.ts';

describe('parsers of macOS command output', () => {
  test('sw_vers, sysctl and numbers are parsed', () => {
    assert.deepEqual(macosFrom('ProductName:\t\tmacOS\nProductVersion:\t\t26.3\nBuildVersion:\t\t25D125\n'), {
      version: '26.3',
      build: '25D125',
    });
    assert.equal(bootTimeFrom('{ sec = 1893456000, usec = 5 } Tue Jan  1 00:00:00 2030\n'), 1_893_456_000);
    assert.equal(numberIn('8\n'), 8);
  });

  test('free disk space is parsed from df with and without inode columns', () => {
    const plain =
      'Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/disk3s5 1000 300 700 30% /System/Volumes/Data\n';
    const inodes =
      'Filesystem 1024-blocks Used Available Capacity iused ifree %iused Mounted on\n/dev/disk3s5 1000 300 700 30% 12 99 0% /System/Volumes/Data\n';
    for (const text of [plain, inodes]) assert.deepEqual(diskFrom(text), { totalBytes: 1_024_000, freeBytes: 716_800 });
  });

  test('unexpected command output is parsed as undefined', () => {
    for (const read of [macosFrom, bootTimeFrom, diskFrom, numberIn])
      assert.equal(read('zsh: command not found'), undefined);
  });
});

describe('clock skew', () => {
  test('clock skew is bounded by the round trip and whole seconds', () => {
    assert.deepEqual(skewFrom(1_000, { asked: 1_000_200, answered: 1_000_700 }), { least: -700, most: 800 });
    assert.match(formatSkew({ least: -700, most: 800 }), /^in sync \(measured within 1\.5s\)$/);
    assert.equal(formatSkew({ least: 60_000, most: 61_500 }), '1m ahead of the local clock');
  });
});

test('sizes are printed in decimal units, as the Finder does', () => {
  assert.deepEqual([0, 999, 16e9, 494.4e9].map(formatBytes), ['0 B', '999 B', '16 GB', '494.4 GB']);
});
