import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createWorkQueue, type WorkQueue } from './work-queue.ts';

async function drain(queue: WorkQueue): Promise<string[]> {
  const taken: string[] = [];
  while (queue.depth > 0) {
    const key = (await queue.take()) ?? '';
    taken.push(key);
    queue.done(key);
  }
  return taken;
}

describe('work queue', () => {
  test('the work queue returns a key once, however often it was added', async () => {
    const queue = createWorkQueue(fakeClock());
    for (let times = 0; times < 100; times++) queue.add('a');
    queue.add('b');
    assert.deepEqual(await drain(queue), ['a', 'b']);
  });

  test('the work queue returns a key to one worker at a time, and again if it was added meanwhile', async () => {
    const queue = createWorkQueue(fakeClock());
    queue.add('a');
    assert.equal(await queue.take(), 'a');
    queue.add('a');
    queue.add('a');
    assert.equal(queue.depth, 0, 'not given out while it is worked on');
    queue.done('a');
    assert.deepEqual(await drain(queue), ['a']);
  });

  test('the work queue returns keys by priority: now, soon, idle', async () => {
    const queue = createWorkQueue(fakeClock());
    queue.add('resync', 'idle');
    queue.add('owned', 'soon');
    queue.add('scaled', 'now');
    queue.add('applied', 'now');
    assert.deepEqual(await drain(queue), ['scaled', 'applied', 'owned', 'resync']);
  });

  test('a queued key is moved to a higher priority, never to a lower one', async () => {
    const queue = createWorkQueue(fakeClock());
    queue.add('a', 'idle');
    queue.add('b', 'soon');
    queue.add('a', 'now');
    queue.add('a', 'idle');
    assert.deepEqual(await drain(queue), ['a', 'b']);
  });

  test('the work queue uses the earliest of several delays of a key', async () => {
    const clock = fakeClock();
    const queue = createWorkQueue(clock);
    queue.addAfter('a', seconds(60));
    queue.addAfter('a', seconds(10));
    queue.addAfter('a', seconds(30));
    await clock.advance(seconds(10));
    assert.deepEqual(await drain(queue), ['a']);
    await clock.advance(seconds(120));
    assert.equal(queue.depth, 0);
  });

  test('taking a key from the work queue cancels its delayed requeue', async () => {
    const clock = fakeClock();
    const queue = createWorkQueue(clock);
    queue.addAfter('a', seconds(10));
    queue.add('a', 'now');
    assert.deepEqual(await drain(queue), ['a']);
    await clock.advance(seconds(20));
    assert.equal(queue.depth, 0);
    assert.equal(clock.pending, 0);
  });

  test('waiting workers of the work queue get keys in the order of their requests', async () => {
    const queue = createWorkQueue(fakeClock());
    const first = queue.take();
    const second = queue.take();
    queue.add('a');
    queue.add('b');
    assert.deepEqual(await Promise.all([first, second]), ['a', 'b']);
  });

  test('a work queue that shuts down wakes every worker, accepts no key and leaves no timer', async () => {
    const clock = fakeClock();
    const queue = createWorkQueue(clock);
    const waiting = queue.take();
    queue.addAfter('later', seconds(10));
    queue.shutDown();
    queue.add('a');
    assert.equal(await waiting, undefined);
    assert.equal(await queue.take(), undefined);
    assert.equal(clock.pending, 0);
  });

  test('the work queue rejects done for a key that no worker has taken', () => {
    assert.throws(() => createWorkQueue(fakeClock()).done('a'), /"a" is not being worked on/);
  });

  test('the work queue reports its depth, waiting times and working times', async () => {
    const clock = fakeClock();
    const reported: string[] = [];
    const queue = createWorkQueue(clock, {
      depth: depth => reported.push(`depth ${depth}`),
      taken: waited => reported.push(`waited ${waited}`),
      finished: worked => reported.push(`worked ${worked}`),
    });
    queue.add('a');
    await clock.advance(seconds(1));
    await queue.take();
    await clock.advance(seconds(2));
    queue.done('a');
    assert.deepEqual(reported, ['depth 1', 'depth 0', 'waited 1000', 'worked 2000']);
  });
});
