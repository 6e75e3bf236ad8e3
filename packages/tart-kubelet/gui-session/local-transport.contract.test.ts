import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@minifleet/clock';
import { createRedactor, openHost } from '@minifleet/host';
import { transportContract } from '@minifleet/host/testing/contract/transport.contract';
import { localTransport } from './local-transport.ts';

/** The same behaviours as over SSH, as far as there is anything to dial or to lose. Files need sudo, which tests lack. */
transportContract({
  name: 'this machine itself',
  without: ['files', 'a connection that breaks at an exact point', 'a connection that is lost', 'first contact'],
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'local-transport-'));
    const environment = { PATH: process.env['PATH'] };
    const transport = localTransport({ clock: systemClock, address: 'm1@here', environment });
    const { username: user, uid, gid } = userInfo();
    return {
      transport,
      folder,
      host: openHost({ transport, user, clock: systemClock, redactor: createRedactor() }),
      owner: `${uid}:${gid}`,
      suicide: ['/bin/sh', '-c', 'kill -KILL $$'],
      passesSignals: true,
      holdsInputBack: true,
      network: undefined,
      drop: undefined,
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
});
