import { eventually } from '@minifleet/clock/testing';
import { startRegistry } from '../registry/start-registry.ts';
import type { HostFile } from '../tart/host/host-file.ts';
import { makeTart, type SimulatedTart } from '../tart/testing/make-tart.ts';
import type { OldWay } from './old-way.ts';
import type { Scene } from './scene.ts';

const IMAGE = 'ghcr.io/acme/runner:1';

/** A host with the real `tart` executable of the world, whose own clock runs fast. */
async function withTart(scene: Scene, host: HostFile, use: (tart: SimulatedTart) => Promise<string>): Promise<string> {
  const registry = await startRegistry({ surroundings: scene.around });
  const tart = makeTart({ ...host, registries: { 'ghcr.io': registry.url } });
  try {
    return await use(tart);
  } finally {
    await tart.cleanUp();
    await registry.stop();
  }
}

export const imageIncidents: readonly OldWay[] = [
  {
    id: 'I25',
    title: 'tart login in a LaunchAgent',
    did: 'ran tart login before the push, in a workflow whose runner is a LaunchAgent',
    seen: /User interaction is not allowed/,
    run: scene =>
      withTart(scene, { gui: false }, async tart => {
        const login = ['login', 'ghcr.io', '--username', 'robot', '--password-stdin'];
        return (await tart.call(login, { input: 'secret\n' })).stderr;
      }),
  },
  {
    id: 'I28',
    title: 'the collector deletes the VM that is being pushed',
    did: 'deleted every local VM no Pod backs, while a baked image’s disk was on its way up',
    seen: /The file ["“]nvram\.bin["”] doesn['’]t exist/,
    run: scene =>
      withTart(scene, { push: { diskSeconds: 30 } }, async tart => {
        await tart.call(['create', 'tuist-runner', '--from-ipsw', 'latest']);
        const pushing = tart.start(['push', 'tuist-runner', IMAGE]);
        await eventually(() => pushing.stdout.includes('pushing disk'));
        const { stdout } = await tart.call(['list', '--source', 'local', '--quiet']);
        for (const name of stdout.trim().split('\n')) await tart.call(['delete', name]);
        return (await pushing.outcome).stderr;
      }),
  },
  {
    id: 'I38',
    title: 'a guest that crashes is taken for one that succeeded',
    did: 'took the exit status of tart run for the guest’s',
    seen: /due to error.*exit status 0, reported Succeeded/s,
    run: scene =>
      withTart(scene, { guests: { byName: { job: { crashesAfterSeconds: 1 } } } }, async tart => {
        await tart.call(['create', 'job', '--from-ipsw', 'latest']);
        const { code, stdout } = await tart.call(['run', 'job', '--no-graphics']);
        return `${stdout}exit status ${code}, reported ${code === 0 ? 'Succeeded' : 'Failed'}`;
      }),
  },
];
