import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { m1, tartOf } from '@minifleet/world/mac';
import type { FaultTarget } from './fault-target.ts';
import { AGENT, readAgentJob } from './fixtures/agent-job.ts';
import { listVms, runAsUser, TART } from './fixtures/host-user.ts';
import { awaitPrecondition, orRevert, requireEffect } from './fixtures/preconditions.ts';
import { createTestPod, terminationOf } from './fixtures/test-pod.ts';
import { type Incident, REPAIRED_WITHIN } from './incident.ts';
import { withTart } from './tart-host.ts';

const VM = 'tuist-runner';
const IMAGE = 'ghcr.io/acme/runner:1';

/** Scripts of the image workflows in this repository. */
const SCRIPTS = fileURLToPath(new URL('../../../images/host/', import.meta.url));
const FOLDER = '/Users/m1/images';
/** Environment of the push step; a workflow sets the credentials for that step only. */
const WITH_CREDENTIALS =
  'PATH=/usr/local/bin:$PATH TART_REGISTRY_HOSTNAME=ghcr.io TART_REGISTRY_USERNAME=robot TART_REGISTRY_PASSWORD=secret';

/** A push in progress. */
interface ImagePush {
  readonly image: string;
  /** Standard error so far. */
  output(): string;
  /** True when the push has succeeded and the registry has the manifest. */
  isComplete(): boolean;
}

/** Starts to push a VM with the workflow's scripts, in the session of the runner's jobs. */
async function startPush(target: FaultTarget): Promise<ImagePush> {
  const { files } = target.mac();
  files.makeDirectory(m1, FOLDER, { parents: true });
  for (const name of ['push.sh', 'watched.sh']) files.write(m1, `${FOLDER}/${name}`, await readFile(SCRIPTS + name));
  const repository = `baked/${target.name}-${target.since.toString(36)}`;
  const image = `ghcr.io/${repository}:1`;
  let output = '';
  let code: number | undefined;
  const err = {
    write(text: string | Buffer): void {
      output += String(text);
    },
  };
  void runAsUser(target, `${WITH_CREDENTIALS} sh ${FOLDER}/push.sh ${VM} ${image}`, { aqua: true, err }).then(ended => {
    code = ended.code;
  });
  return {
    image,
    output: () => output,
    isComplete: () => code === 0 && target.world.registry.content.manifests.has(repository),
  };
}

/** Reads the Node's condition about VMs that no Pod uses, and the time of the agent's last check. */
async function readForeignVMs(target: FaultTarget) {
  const conditions = (await target.node())?.status?.conditions ?? [];
  const found = conditions.find(({ type }) => type === 'ForeignVMs');
  return { message: found?.status === 'True' ? found.message : undefined, checkedAt: found?.lastHeartbeatTime };
}

/** Incidents with baking and pushing VM images. */
export const imageIncidents: readonly Incident[] = [
  {
    id: 'I25',
    title: 'tart login runs in a LaunchAgent',
    oldWay: {
      procedure: 'ran tart login before the push, in a workflow whose runner is a LaunchAgent',
      symptom: /User interaction is not allowed/,
      run: env =>
        withTart(env, { gui: false }, async tart => {
          const login = ['login', 'ghcr.io', '--username', 'robot', '--password-stdin'];
          return (await tart.call(login, { input: 'secret\n' })).stderr;
        }),
    },
    coveredBy: 'images/push.contract.test.ts, images/workflows.test.ts',
    live: {
      fault: 'the keychain of a builder asks for a password at the screen',
      fleets: ['builders'],
      expected: 'a bake is pushed with credentials from its environment, and no login is needed',
      within: seconds(90),
      async inject(target) {
        const tart = tartOf(target.mac());
        const login = `echo secret | ${TART} login ghcr.io --username robot --password-stdin`;
        await runAsUser(target, `${login}; ${TART} create ${VM} --from-ipsw latest`, { aqua: true });
        const cleanUp = async (): Promise<void> => {
          tart.change({ keychainLocked: false });
          await runAsUser(target, `${TART} logout ghcr.io; ${TART} delete ${VM}`);
        };
        tart.change({ keychainLocked: true });
        const { err } = await runAsUser(target, `${login}; ${TART} push ${VM} ghcr.io/acme/lost:1`, { aqua: true });
        const push = await orRevert(cleanUp, async () => {
          requireEffect(target, 'I25', /User interaction is not allowed[\s\S]*-25308/, err);
          return startPush(target);
        });
        return {
          action:
            'locked the keychain, so that tart login and a push that uses it fail; then pushed with the workflow’s scripts',
          check: async () =>
            push.isComplete() ? { repaired: `${push.image} was pushed without the keychain` } : undefined,
          cleanUp,
        };
      },
    },
  },
  {
    id: 'I28',
    title: 'garbage collection deletes the VM that is being pushed',
    oldWay: {
      procedure: 'deleted every local VM without a Pod while the disk of a baked image was being uploaded',
      symptom: /The file ["“]nvram\.bin["”] doesn['’]t exist/,
      run: env =>
        withTart(env, { push: { holds: 'disk' } }, async tart => {
          await tart.call(['create', VM, '--from-ipsw', 'latest']);
          const pushing = tart.start(['push', VM, IMAGE]);
          await eventually(() => pushing.stdout.includes('pushing disk'));
          const { stdout } = await tart.call(['list', '--source', 'local', '--quiet']);
          for (const name of stdout.trim().split('\n')) await tart.call(['delete', name]);
          tart.change({ push: {} });
          return (await pushing.outcome).stderr;
        }),
    },
    coveredBy:
      'packages/tart-kubelet/gc/collector.contract.test.ts, packages/tart-kubelet/guests/recover.contract.test.ts',
    live: {
      fault: 'the agent restarts while a VM without a Pod is being pushed',
      fleets: ['builders'],
      expected: 'the Node reports the VM, the agent does not delete it, and the push completes',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const tart = tartOf(target.mac());
        await runAsUser(target, `${TART} create ${VM} --from-ipsw latest`, { aqua: true });
        tart.change({ push: { holds: 'disk' } });
        const cleanUp = async (): Promise<void> => {
          tart.change({ push: {} });
          await runAsUser(target, `${TART} delete ${VM}`);
        };
        const push = await startPush(target);
        const isUploading = async (): Promise<boolean> => push.output().includes('pushing disk');
        await orRevert(cleanUp, () => awaitPrecondition(target, 'the upload of the disk to start', isUploading));
        const before = { ...(await readAgentJob(target)), ...(await readForeignVMs(target)) };
        // The agent collects garbage when it starts. That run deleted the VM in the incident.
        await target.run(`launchctl kickstart -k ${AGENT}`);
        return {
          action: `started to push the VM ${VM}, and restarted the agent during the upload of its disk`,
          async check() {
            const { pid } = await readAgentJob(target);
            const { message, checkedAt } = await readForeignVMs(target);
            const restarted = pid !== undefined && pid !== before.pid && checkedAt !== before.checkedAt;
            if (!restarted || !message?.includes(VM) || !(await target.isReady())) return undefined;
            tart.change({ push: {} });
            const kept = (await listVms(target)).includes(VM);
            return kept && push.isComplete()
              ? { repaired: `${push.image} was pushed completely; the Node reports: ${message}` }
              : undefined;
          },
          cleanUp,
        };
      },
    },
  },
  {
    id: 'I30',
    title: 'an image is baked in a Pod',
    oldWay: {
      procedure: 'ran Packer’s tart run inside a macOS guest',
      symptom: /Virtualization is not available on this hardware/,
      run: env =>
        withTart(env, {}, async tart => {
          await tart.call(['create', VM, '--from-ipsw', 'latest']);
          const insideGuest = { environment: { GUEST_ROOT: '/guest' } };
          return (await tart.call(['run', VM, '--no-graphics'], insideGuest)).stderr;
        }),
    },
    coveredBy: 'open in part: docs/incidents/I30-bake-in-a-pod.md',
    live: {
      fleets: ['macos'],
      expected: 'the Pod ends with the reason and names where to bake images instead',
      within: seconds(90),
      async inject(target) {
        // An image with Tart, as built by a team that moves bakes into Pods.
        target.world.registry.seedImage('acme/builder:1', { software: ['tart/2.32.1'] });
        const script = `tart create ${VM} --from-ipsw latest && exec tart run ${VM} --no-graphics`;
        const pod = await createTestPod(target, { name: 'bake', image: 'ghcr.io/acme/builder:1', script });
        return {
          action: `started ${pod.name}, which runs Packer’s tart run in its VM`,
          async check() {
            const end = terminationOf(await pod.find());
            return end?.message?.includes('build images on a builder host')
              ? { reported: `${pod.name} ended with ${end.exitCode}: ${end.message}` }
              : undefined;
          },
          cleanUp: () => pod.remove(),
        };
      },
    },
  },
];
