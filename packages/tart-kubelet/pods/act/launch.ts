import { type Duration, formatDuration, milliseconds, seconds } from '@minifleet/clock';
import { isForbidden, messageOf, type Pod, secrets } from '@minifleet/kube';
import type { GuestSpec } from '../../guests/guest.ts';
import type { RegistryCredentials } from '../../guests/tart.ts';
import { readPullSecret } from '../../images/registry-credentials.ts';
import { wantsScreen } from '../admission/admit.ts';
import { imageOf } from '../decide/last-run.ts';
import { namespaceOf, onceAuthorized } from '../environment/config-source.ts';
import { readEnvironment } from '../environment/environment.ts';
import { guestProcess, SHARES_IN_GUEST, writeEnvironmentShare } from '../environment/environment-share.ts';
import { CONFIG_NOT_YET_READABLE } from '../errors.ts';
import type { Sight } from '../observe.ts';
import { containerNameOf, idOf, type Work } from '../pod-context.ts';
import { logFileOf, podPlaces } from '../pod-paths.ts';
import { startWait } from '../pod-state.ts';
import { guestSizeOf } from '../resources.ts';
import { launchFailure } from './launch-failure.ts';
import { volumeContentOf } from './refresh-volumes.ts';

/** A Pod with this annotation keeps the MAC address and machine id of its image. */
const KEEP_IDENTITY_ANNOTATION = 'minifleet.dev/keep-image-identity';

/** Every Pod gets this one from the API server, asked or not. */
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

const BOOT_WITHIN = seconds(300);

/** Starts the way to a running guest and returns: passes stay short, and a deletion finds an open door. */
export async function launch(work: Work, sight: Sight): Promise<void> {
  const { life } = work;
  const { retry, pod } = life;
  if (!pod) return;
  if (retry && !retry.wait.over) return;
  // What is half made is made again under the same name; what has exited stays exited.
  const attempt = sight.run ? sight.run.attempt + (sight.observed === 'half made' ? 0 : 1) : 0;
  const abort = new AbortController();
  life.launch = { abort };
  life.tornDown = false;
  void prepareAndStart(work, pod, { attempt, signal: abort.signal })
    .catch((error: unknown) => {
      if (!abort.signal.aborted) launchFailed(work, error);
    })
    .finally(() => {
      life.launch = undefined;
      work.wake();
    });
}

interface Attempt {
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** The whole way, in order: what costs least and fails most often comes first, the slot is taken last and never held idle. */
async function prepareAndStart(work: Work, pod: Pod, { attempt, signal }: Attempt): Promise<void> {
  const { life, around } = work;
  const places = podPlaces(around.directories.state, life.uid);
  const stage = around.stages;
  const shares = await life.volumes.write(volumeContentOf(work, pod));
  signal.throwIfAborted();
  const image = await pullImage(work, pod, signal);
  stage?.reached(life.uid, 'image');
  const variables = await readEnvironment({ pod, node: around.node(), config: around.config });
  const environment = await writeEnvironmentShare(places.environment, { variables, mounts: mountsOf(pod) });
  await claimSlot(work, pod, signal);
  stage?.reached(life.uid, 'slot');
  await around.beforeStart?.();
  signal.throwIfAborted();
  const spec: GuestSpec = {
    id: idOf(work, attempt),
    pod: `${pod.metadata.namespace}/${pod.metadata.name}`,
    image,
    imageName: imageOf(pod),
    ...guestSizeOf(pod.spec ?? { containers: [] }),
    shares: [environment, ...shares],
    freshIdentity: pod.metadata.annotations?.[KEEP_IDENTITY_ANNOTATION] !== 'true',
    screen: wantsScreen(pod),
    process: guestProcess(pod, variables),
    logFile: logFileOf(around.directories.logs, pod, attempt),
    bootWithin: around.bootWithin ?? BOOT_WITHIN,
  };
  life.launched = attempt;
  await around.guests.start(spec);
  stage?.reached(life.uid, 'clone');
  work.say('Normal', 'Created', `Created container: ${containerNameOf(work)}`);
  if (attempt === 0) tellOfShares(work, pod);
}

/** Mount paths are not made in the guest; whoever asked for one is told where the volume is. */
function tellOfShares(work: Work, pod: Pod): void {
  const names = new Set([...mountsOf(pod)].filter(([path]) => path !== TOKEN_PATH).map(([, volume]) => volume));
  if (names.size === 0) return;
  work.say('Normal', 'VolumesShared', `Volumes are in "${SHARES_IN_GUEST}" of the guest: ${[...names].join(', ')}`);
}

const mountsOf = ({ spec }: Pod): Map<string, string> =>
  new Map((spec?.containers[0]?.volumeMounts ?? []).map(({ mountPath, name }) => [mountPath, name]));

async function claimSlot(work: Work, pod: Pod, signal: AbortSignal): Promise<void> {
  const { life, around } = work;
  const onWait = (words: string): void => {
    life.waiting = { reason: 'WaitingForVMSlot', message: words };
    work.say('Normal', 'WaitingForVMSlot', words);
    work.wake();
  };
  const createdAt = String(pod.metadata.creationTimestamp ?? '');
  await around.slots.claim({ uid: life.uid, createdAt, signal, onWait });
  life.waiting = undefined;
}

function launchFailed(work: Work, error: unknown): void {
  const { life, around } = work;
  const failure = launchFailure(error, life.retry);
  life.waiting = { reason: failure.reason, message: failure.message };
  const wait = startWait(around.clock, failure.retryIn, () => work.wake());
  life.retry = { reason: failure.kind, failures: failure.failures, wait };
  for (const { reason, note } of failure.events) work.say('Warning', reason, note);
  work.log.warn({ reason: failure.reason, failures: failure.failures, err: messageOf(error) }, 'Pod not started');
}

/** Has the image on the host when it resolves, with kubelet's events on the way; gives its digest. */
async function pullImage(work: Work, pod: Pod, signal: AbortSignal): Promise<string> {
  const { around } = work;
  const { image = '', imagePullPolicy: policy = 'IfNotPresent' } = pod.spec?.containers[0] ?? {};
  const since = around.clock.now();
  const credentials = await readCredentials(work, pod);
  const pulling = (words: string): void => work.say('Normal', 'Pulling', `Pulling image "${image}": ${words}`);
  if (policy === 'Always') work.say('Normal', 'Pulling', `Pulling image "${image}"`);
  const { digest, pulled } = await around.images.ensure({
    image,
    policy,
    credentials,
    onProgress: pulling,
    signal,
  });
  signal.throwIfAborted();
  work.say('Normal', 'Pulled', pulledWords(image, pulled ? milliseconds(around.clock.now() - since) : undefined));
  return digest;
}

const pulledWords = (image: string, took: Duration | undefined): string =>
  took === undefined
    ? `Container image "${image}" already present on machine`
    : `Successfully pulled image "${image}" in ${formatDuration(took)}`;

/** A pull secret that is missing is passed over, as kubelet does: the registry may not ask for it. */
async function readCredentials({ around }: Work, pod: Pod): Promise<RegistryCredentials[]> {
  const found: RegistryCredentials[] = [];
  for (const { name = '' } of pod.spec?.imagePullSecrets ?? []) {
    try {
      const secret = await onceAuthorized(around.clock, () =>
        around.client.find(secrets, { namespace: namespaceOf(pod), name }),
      );
      if (secret) found.push(...readPullSecret(secret));
    } catch (error) {
      if (isForbidden(error)) throw CONFIG_NOT_YET_READABLE({ kind: 'secret', name }, { cause: error });
      throw error;
    }
  }
  return found;
}
