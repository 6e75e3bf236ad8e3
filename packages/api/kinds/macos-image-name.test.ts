import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMacosImage } from './macos-image.ts';

const readings: readonly [string, { family: string; version?: string }][] = [
  ['macos-tahoe-26.3', { family: 'tahoe', version: '26.3' }],
  ['Tahoe', { family: 'tahoe' }],
  ['macos-golden-gate-27.0', { family: 'goldengate', version: '27.0' }],
  ['Golden Gate', { family: 'goldengate' }],
  ['golden_gate', { family: 'goldengate' }],
  ['macOS Tahoe', { family: 'tahoe' }],
  ['macos-tahoe-26.7-beta', { family: 'tahoe', version: '26.7-beta' }],
  ['DevOS', { family: 'devos' }],
  ['devos-tahoe-26.3', { family: 'devostahoe', version: '26.3' }],
];

for (const [name, expected] of readings) {
  test(`${name} is read as family ${expected.family}, version ${expected.version ?? 'none'}`, () => {
    assert.deepEqual(parseMacosImage(name), expected);
  });
}
