import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { pods } from '@minifleet/kube';
import { IMAGE_PULL_FAILED } from '../images/errors.ts';
import { openPodsBench, type PodsBench } from './testing/pods-bench.ts';

const NEWER = 'registry.example/macos:16';

const setImage = (bench: PodsBench, image = NEWER): Promise<unknown> => {
  const body = { spec: { containers: [{ name: 'vm', image }] } };
  return bench.api.client.patch(pods, { namespace: 'default', name: 'one' }, { type: 'strategic', body });
};

const runningWith = (bench: PodsBench, image: string): Promise<unknown> =>
  bench.until(async () => {
    const container = await bench.container('one');
    return container?.state?.running && container.image === image;
  });

const imagesRun = ({ guests }: PodsBench): unknown[] => guests.started.map(({ imageName }) => imageName);

for (const restartPolicy of ['Always', 'OnFailure', 'Never'] as const) {
  test(`a running Pod with restartPolicy ${restartPolicy} restarts with a changed image`, async () => {
    await using bench = await openPodsBench({ behave: () => ({ shutsDownIn: seconds(3) }) });
    await bench.create('one', { restartPolicy });
    await runningWith(bench, 'registry.example/macos:15');
    await setImage(bench);
    await bench.until(() => bench.reasons().includes('Killing'));
    assert.equal((await bench.container('one'))?.image, 'registry.example/macos:15', 'still the one that runs');
    await bench.advance(seconds(3));
    await runningWith(bench, NEWER);
    const container = await bench.container('one');
    assert.equal(container?.restartCount, 1);
    assert.equal(container?.lastState?.terminated?.exitCode, 0);
    assert.equal(await bench.phase('one'), 'Running');
    assert.deepEqual(imagesRun(bench), ['registry.example/macos:15', NEWER]);
    const notes = bench.events.filter(({ reason }) => reason === 'Killing').map(({ note }) => note);
    assert.deepEqual(notes, ['Container vm definition changed, will be restarted']);
  });
}

test('a Pod with restartPolicy Never is never reported as terminated while its image changes', async () => {
  await using bench = await openPodsBench();
  await bench.create('one', { restartPolicy: 'Never' });
  await runningWith(bench, 'registry.example/macos:15');
  await setImage(bench);
  await runningWith(bench, NEWER);
  assert.ok(!statesTold(bench).includes('terminated'), statesTold(bench).join());
});

test('a Pod with restartPolicy Never whose new image cannot be pulled waits with ErrImagePull', async () => {
  let there = false;
  const onPull = ({ image = '' }): void => {
    if (image === NEWER && !there) throw IMAGE_PULL_FAILED({ image, why: 'no such tag' });
  };
  await using bench = await openPodsBench({ images: { onPull } });
  await bench.create('one', { restartPolicy: 'Never' });
  await runningWith(bench, 'registry.example/macos:15');
  await setImage(bench);
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'ErrImagePull');
  await bench.advance(seconds(11));
  assert.equal((await bench.container('one'))?.state?.waiting?.reason, 'ErrImagePull');
  there = true;
  await bench.advance(seconds(1));
  await runningWith(bench, NEWER);
  assert.ok(!statesTold(bench).includes('terminated'), statesTold(bench).join());
});

interface StatusBody {
  readonly status?: { readonly containerStatuses?: readonly { readonly state?: object }[] };
}

const statesTold = ({ api }: PodsBench): string[] =>
  api.requests
    .filter(({ method, path }) => method === 'PATCH' && path.endsWith('/status'))
    .flatMap(({ body }) => (body as StatusBody).status?.containerStatuses ?? [])
    .flatMap(({ state }) => Object.keys(state ?? {}));

test('an image change ends the CrashLoopBackOff of the old image', async () => {
  const behave = ({ imageName = '' }) => (imageName === NEWER ? {} : { exits: { after: seconds(1), exitCode: 1 } });
  await using bench = await openPodsBench({ behave });
  await bench.create('one');
  for (const runs of [1, 2]) {
    await bench.until(() => bench.guests.started.length === runs && bench.guests.all()[0]?.state.phase === 'running');
    await bench.advance(seconds(1));
  }
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'CrashLoopBackOff');
  await setImage(bench);
  await runningWith(bench, NEWER);
});

test('an image change ends the back-off of a failing pull immediately', async () => {
  const onPull = ({ image = '' }): void => {
    if (image !== NEWER) throw IMAGE_PULL_FAILED({ image, why: 'no such tag' });
  };
  await using bench = await openPodsBench({ images: { onPull } });
  await bench.create('one');
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'ErrImagePull');
  await setImage(bench);
  await runningWith(bench, NEWER);
  assert.equal((await bench.container('one'))?.restartCount, 0);
});

test('an image change is detected from the response to a status write, before the watch event', async () => {
  const onPull = ({ image = '' }): void => {
    if (image !== NEWER) throw IMAGE_PULL_FAILED({ image, why: 'no such tag' });
  };
  await using bench = await openPodsBench({ images: { onPull } });
  await bench.create('one');
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'ErrImagePull');
  bench.api.faults.dropNext({ match: { watch: true }, when: 'before', times: 1_000 });
  bench.api.faults.dropWatches();
  await setImage(bench);
  await bench.advance(seconds(12));
  await runningWith(bench, NEWER);
});

test('an image change aborts the pull of the old image', async () => {
  await using bench = await openPodsBench({ images: { pullsIn: image => seconds(image === NEWER ? 1 : 600) } });
  await bench.create('one');
  await bench.until(async () => (await bench.container('one'))?.state?.waiting !== undefined);
  await setImage(bench);
  await bench.until(async () => {
    await bench.advance(seconds(1));
    return (await bench.container('one'))?.state?.running;
  });
  assert.deepEqual(imagesRun(bench), [NEWER]);
});

test('an image change stops a guest that is still booting', async () => {
  await using bench = await openPodsBench({
    behave: ({ imageName }) => ({ bootsIn: seconds(imageName === NEWER ? 0 : 300) }),
  });
  await bench.create('one', { restartPolicy: 'Never' });
  await bench.until(() => bench.guests.all()[0]?.state.phase === 'starting');
  await setImage(bench);
  await runningWith(bench, NEWER);
});

test('a Pod that is deleted during an image change is not started again', async () => {
  await using bench = await openPodsBench({ behave: () => ({ shutsDownIn: seconds(3) }) });
  await bench.create('one');
  await runningWith(bench, 'registry.example/macos:15');
  await setImage(bench);
  await bench.until(() => bench.reasons().includes('Killing'));
  await bench.delete('one');
  await bench.advance(seconds(3));
  await bench.until(async () => (await bench.get('one')) === undefined);
  assert.equal(bench.guests.started.length, 1);
});

test('a restarted agent detects that the image of a running Pod was changed meanwhile', async () => {
  await using bench = await openPodsBench();
  await bench.create('one', { restartPolicy: 'Never' });
  await runningWith(bench, 'registry.example/macos:15');
  await bench.restart(() => setImage(bench));
  await runningWith(bench, NEWER);
});
