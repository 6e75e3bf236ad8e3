import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds, seconds } from '@minifleet/clock';
import { IMAGE_NAME_INVALID, IMAGE_PULL_FAILED } from '../../images/errors.ts';
import { CONFIG_MISSING, CONFIG_NOT_YET_READABLE } from '../errors.ts';
import { VolumeFailure } from '../volumes/pod-volumes.ts';
import { launchFailure } from './launch-failure.ts';
import { tailOf } from './read-termination.ts';

const missing = CONFIG_MISSING({ kind: 'secret', name: 'a' });
const pull = IMAGE_PULL_FAILED({ image: 'x', why: 'no route' });

const rows: readonly (readonly [string, unknown, string, number])[] = [
  ['a missing Secret', missing, 'CreateContainerConfigError', seconds(1)],
  ['a volume of a missing Secret', new VolumeFailure('v', missing), 'CreateContainerConfigError', seconds(1)],
  [
    'a permission that is not yet effective',
    CONFIG_NOT_YET_READABLE(),
    'CreateContainerConfigError',
    milliseconds(250),
  ],
  ['a failed pull', pull, 'ErrImagePull', seconds(12)],
  ['an invalid image name', IMAGE_NAME_INVALID({ image: '?' }), 'InvalidImageName', seconds(12)],
  ['a failed clone', new Error('no space'), 'CreateContainerError', seconds(10)],
];

for (const [what, error, reason, delay] of rows) {
  test(`${what} is reported as ${reason} and retried`, () => {
    const failure = launchFailure(error, undefined);
    assert.deepEqual([failure.reason, failure.retryIn, failure.failures], [reason, delay, 1]);
  });
}

test('launch failures with one reason back off longer each time; another reason resets the back-off', () => {
  const second = launchFailure(pull, { reason: 'pull', failures: 1 });
  assert.deepEqual([second.reason, second.retryIn], ['ImagePullBackOff', seconds(24)]);
  assert.equal(launchFailure(pull, { reason: 'pull', failures: 30 }).retryIn, seconds(360));
  assert.equal(launchFailure(missing, { reason: 'pull', failures: 3 }).failures, 1);
});

test('the log tail of a failed launch has no timestamps or streams, and at most 80 lines', () => {
  const line = (text: string): string => `2030-01-01T00:00:00.000000000Z stdout F ${text}`;
  assert.equal(tailOf(`cut off\n${line('a')}\n${line('b')}\n`), 'a\nb');
  const many = Array.from({ length: 200 }, (_, index) => line(String(index))).join('\n');
  assert.deepEqual([tailOf(many).split('\n').length, tailOf(many).startsWith('120\n')], [80, true]);
});
