import { eventually } from '@minifleet/clock/testing';
import { startRegistry } from '../registry/start-registry.ts';
import type { HostFile } from '../tart/host/host-file.ts';
import { makeTart, type SimulatedTart } from '../tart/testing/make-tart.ts';
import type { OldWay } from './old-way.ts';
import type { Scene } from './scene-mac.ts';

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
      withTart(scene, { push: { holds: 'disk' } }, async tart => {
        await tart.call(['create', 'tuist-runner', '--from-ipsw', 'latest']);
        const pushing = tart.start(['push', 'tuist-runner', IMAGE]);
        await eventually(() => pushing.stdout.includes('pushing disk'));
        const { stdout } = await tart.call(['list', '--source', 'local', '--quiet']);
        for (const name of stdout.trim().split('\n')) await tart.call(['delete', name]);
        tart.change({ push: {} });
        return (await pushing.outcome).stderr;
      }),
  },
  {
    id: 'I30',
    title: 'an image is baked in a Pod',
    did: 'ran Packer’s tart run inside a macOS guest',
    seen: /Virtualization is not available on this hardware/,
    run: scene =>
      withTart(scene, {}, async tart => {
        await tart.call(['create', 'tuist-runner', '--from-ipsw', 'latest']);
        const insideGuest = { environment: { GUEST_ROOT: '/guest' } };
        return (await tart.call(['run', 'tuist-runner', '--no-graphics'], insideGuest)).stderr;
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
  {
    id: 'I40',
    title: 'a VM that never boots, and every signal is green',
    did: 'asked only whether the VM runs',
    seen: /"State" : "running".*no IP address found/s,
    run: scene =>
      withTart(scene, { guests: { byName: { job: { hangs: true, bootSeconds: 1e6 } } } }, async tart => {
        await tart.call(['create', 'job', '--from-ipsw', 'latest']);
        const running = tart.start(['run', 'job', '--no-graphics']);
        const state = await eventually(async () => {
          const { stdout } = await tart.call(['list', '--source', 'local', '--format', 'json']);
          return /"State" : "running"/.exec(stdout)?.[0];
        });
        const { stderr } = await tart.call(['ip', 'job', '--wait', '60']);
        running.process.kill('SIGKILL');
        await running.outcome;
        return `${state}, and after a minute: ${stderr}`;
      }),
  },
];
