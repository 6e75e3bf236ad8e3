/** Port 5900 of a Pod, from a viewer's connection to the server of a screen, all on real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import { type OpenScreen, openScreen, viewScreen } from '@minifleet/world/testing/tart';
import type { GuestScreen } from '../../guests/guest.ts';
import { forward } from '../port-forward/forward.ts';
import { type LocalGuestOptions, localGuest } from '../testing/local-guest.ts';

const folder = mkdtempSync(join(tmpdir(), 'minifleet-screen-'));
let shown: OpenScreen;
before(async () => {
  shown = await openScreen('pod-1-0');
});
after(() => {
  shown.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Context {
  after(clean: () => void): void;
}

/** Address for viewers, and the results of their connections. */
async function forwarding(context: Context, pod: Partial<LocalGuestOptions>) {
  const clock = fakeClock();
  const guest = localGuest({ name: 'pod', folder, ...pod });
  const ends: (string | undefined)[] = [];
  const server = createServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => undefined);
    void forward(socket, { pod: guest, port: 5_900, clock }).then(end => ends.push(end));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, ends, clock };
}

for (const version of ['3.7', '3.8'] as const) {
  test(`a VNC viewer with RFB ${version} sees the screen without a password`, async context => {
    const { port, ends, clock } = await forwarding(context, { screen: shown.place });
    const seen = await viewScreen({ port, version });
    assert.deepEqual(seen, { security: [1], name: 'pod-1-0', width: 1_024, height: 768 });
    await eventually(() => ends.length === 1);
    assert.equal(clock.pending, 0);
  });
}

test('a VNC viewer with RFB 3.3 (macOS) is asked for a password, and any is accepted', async context => {
  const { port } = await forwarding(context, { screen: shown.place });
  const seen = await viewScreen({ port, version: '3.3', password: 'whatever' });
  assert.deepEqual([seen.security, seen.name], [[2], 'pod-1-0']);
});

test('two VNC viewers can view one screen at the same time', async context => {
  const { port } = await forwarding(context, { screen: shown.place });
  const seen = await Promise.all([viewScreen({ port }), viewScreen({ port })]);
  assert.deepEqual(
    seen.map(({ name }) => name),
    ['pod-1-0', 'pod-1-0'],
  );
});

/** The end of a connection on which the viewer says nothing, or this. */
async function endOf({ port, ends }: { port: number; ends: readonly unknown[] }, words = ''): Promise<unknown> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined).resume();
  socket.write(words);
  await eventually(() => ends.length > 0);
  socket.destroy();
  return ends[0];
}

test('a rejected screen password is reported without the password', async context => {
  const screen: GuestScreen = { ...shown.place, password: 'another-one' };
  const end = await endOf(await forwarding(context, { screen }));
  assert.match(
    String(end),
    /^error forwarding port 5900 to pod pod, .*: guest screen at 127\.0\.0\.1:\d+: login failed \(Authentication failure\); /,
  );
  assert.doesNotMatch(String(end), /another/);
});

test('an unreachable screen and a silent one have different errors', async context => {
  const gone = await endOf(await forwarding(context, { screen: { ...shown.place, port: 1 } }));
  assert.match(String(gone), /ECONNREFUSED/);
  const silent = createServer(socket => void socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  context.after(() => void silent.close());
  await once(silent, 'listening');
  const screen = { ...shown.place, port: (silent.address() as AddressInfo).port };
  const mute = await forwarding(context, { screen });
  const ended = endOf(mute);
  await eventually(async () => {
    await mute.clock.advance(seconds(5));
    return mute.ends.length > 0;
  });
  assert.match(String(await ended), /login failed \(timed out after 5s/);
});

test('a VNC viewer without RFB gets an error, and a silent one times out', async context => {
  const hasty = await forwarding(context, { screen: shown.place });
  assert.match(
    String(await endOf(hasty, 'GET / HTTP/1.1\r\n')),
    /VNC viewer: handshake failed \(it sent no RFB version\); use a viewer that supports RFB 3\.3, 3\.7 or 3\.8/,
  );
  const choosy = await forwarding(context, { screen: shown.place });
  assert.match(String(await endOf(choosy, 'RFB 003.008\n\x1e')), /it chose security 30, which was not offered/);
  const idle = await forwarding(context, { screen: shown.place });
  const ended = endOf(idle);
  await eventually(async () => {
    await idle.clock.advance(minutes(2));
    return idle.ends.length > 0;
  });
  assert.equal(await ended, undefined);
});

test('port-forward to a guest without a screen names the annotation and the guest’s failure', async context => {
  const end = await endOf(await forwarding(context, { path: folder }));
  assert.match(
    String(end),
    /pod pod: no screen \(the guest serves none: .+\); recreate the Pod with the annotation minifleet\.dev\/screen=true$/s,
  );
});
