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
import type { PodObservation } from '../observe.ts';
import { containerNameOf, idOf, type PodContext } from '../pod-context.ts';
import { logFileOf, podPaths } from '../pod-paths.ts';
import { startDelay } from '../pod-state.ts';
import { guestSizeOf } from '../resources.ts';
import { launchFailure } from './launch-failure.ts';
import { volumeContentOf } from './refresh-volumes.ts';

/** Pods with this annotation keep the MAC address and machine id of their image. */
const KEEP_IDENTITY_ANNOTATION = 'minifleet.dev/keep-image-identity';

/** The API server adds this mount to every Pod. */
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

const BOOT_WITHIN = seconds(300);

/** Starts the launch in the background, so that syncs stay short and a deletion can interrupt it. */
export async function launch(context: PodContext, observation: PodObservation): Promise<void> {
  const { state } = context;
  const { retry, pod } = state;
  if (!pod) return;
  if (retry && !retry.wait.over) return;
  // An incomplete guest is created again under the same name; an exited one stays exited.
  const attempt = observation.run ? observation.run.attempt + (observation.observed === 'incomplete' ? 0 : 1) : 0;
  const abort = new AbortController();
  state.launch = { abort };
  state.tornDown = false;
  void prepareAndStart(context, pod, { attempt, signal: abort.signal })
    .catch((error: unknown) => {
      if (!abort.signal.aborted) launchFailed(context, error);
    })
    .finally(() => {
      state.launch = undefined;
      context.wake();
    });
}

interface LaunchAttempt {
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/**
 * Prepares and starts a guest. The cheapest and most failure-prone steps come first; the slot is claimed last and never
 * held idle.
 */
async function prepareAndStart(context: PodContext, pod: Pod, { attempt, signal }: LaunchAttempt): Promise<void> {
  const { state, deps } = context;
  const paths = podPaths(deps.directories.state, state.uid);
  const stage = deps.stages;
  const shares = await state.volumes.write(volumeContentOf(context, pod));
  signal.throwIfAborted();
  const image = await pullImage(context, pod, signal);
  stage?.reached(state.uid, 'image');
  const variables = await readEnvironment({ pod, node: deps.node(), config: deps.config });
  const environment = await writeEnvironmentShare(paths.environment, { variables, mounts: mountsOf(pod) });
  await claimSlot(context, pod, signal);
  stage?.reached(state.uid, 'slot');
  await deps.beforeStart?.();
  signal.throwIfAborted();
  const spec: GuestSpec = {
    id: idOf(context, attempt),
    pod: `${pod.metadata.namespace}/${pod.metadata.name}`,
    image,
    imageName: imageOf(pod),
    ...guestSizeOf(pod.spec ?? { containers: [] }),
    shares: [environment, ...shares],
    freshIdentity: pod.metadata.annotations?.[KEEP_IDENTITY_ANNOTATION] !== 'true',
    screen: wantsScreen(pod),
    process: guestProcess(pod, variables),
    logFile: logFileOf(deps.directories.logs, pod, attempt),
    bootWithin: deps.bootWithin ?? BOOT_WITHIN,
  };
  state.launched = attempt;
  await deps.guests.start(spec);
  stage?.reached(state.uid, 'clone');
  context.emit('Normal', 'Created', `Created container: ${containerNameOf(context)}`);
  if (attempt === 0) emitSharesEvent(context, pod);
}

/** Reports where the volumes are in the guest, because mount paths are not created there. */
function emitSharesEvent(context: PodContext, pod: Pod): void {
  const names = new Set([...mountsOf(pod)].filter(([path]) => path !== TOKEN_PATH).map(([, volume]) => volume));
  if (names.size === 0) return;
  context.emit(
    'Normal',
    'VolumesShared',
    `Volumes are in the guest folder "${SHARES_IN_GUEST}": ${[...names].join(', ')}`,
  );
}

const mountsOf = ({ spec }: Pod): Map<string, string> =>
  new Map((spec?.containers[0]?.volumeMounts ?? []).map(({ mountPath, name }) => [mountPath, name]));

async function claimSlot(context: PodContext, pod: Pod, signal: AbortSignal): Promise<void> {
  const { state, deps } = context;
  const onWait = (message: string): void => {
    state.waiting = { reason: 'WaitingForVMSlot', message };
    context.emit('Normal', 'WaitingForVMSlot', message);
    context.wake();
  };
  const createdAt = String(pod.metadata.creationTimestamp ?? '');
  await deps.slots.claim({ uid: state.uid, createdAt, signal, onWait });
  state.waiting = undefined;
}

function launchFailed(context: PodContext, error: unknown): void {
  const { state, deps } = context;
  const failure = launchFailure(error, state.retry);
  state.waiting = { reason: failure.reason, message: failure.message };
  const wait = startDelay(deps.clock, failure.retryIn, () => context.wake());
  state.retry = { reason: failure.kind, failures: failure.failures, wait };
  for (const { reason, note } of failure.events) context.emit('Warning', reason, note);
  context.log.warn(
    { reason: failure.reason, failures: failure.failures, err: messageOf(error) },
    'Pod launch failed; retrying',
  );
}

/** Resolves with the image digest once the image is on the host; emits kubelet's events meanwhile. */
async function pullImage(context: PodContext, pod: Pod, signal: AbortSignal): Promise<string> {
  const { deps } = context;
  const { image = '', imagePullPolicy: policy = 'IfNotPresent' } = pod.spec?.containers[0] ?? {};
  const since = deps.clock.now();
  const credentials = await readCredentials(context, pod);
  const pulling = (message: string): void => context.emit('Normal', 'Pulling', `Pulling image "${image}": ${message}`);
  if (policy === 'Always') context.emit('Normal', 'Pulling', `Pulling image "${image}"`);
  const { digest, pulled } = await deps.images.ensure({
    image,
    policy,
    credentials,
    onProgress: pulling,
    signal,
  });
  signal.throwIfAborted();
  context.emit('Normal', 'Pulled', pulledMessage(image, pulled ? milliseconds(deps.clock.now() - since) : undefined));
  return digest;
}

const pulledMessage = (image: string, took: Duration | undefined): string =>
  took === undefined
    ? `Container image "${image}" already present on machine`
    : `Successfully pulled image "${image}" in ${formatDuration(took)}`;

/** Skips a missing pull secret, as kubelet does: the registry may not require it. */
async function readCredentials({ deps }: PodContext, pod: Pod): Promise<RegistryCredentials[]> {
  const found: RegistryCredentials[] = [];
  for (const { name = '' } of pod.spec?.imagePullSecrets ?? []) {
    try {
      const secret = await onceAuthorized(deps.clock, () =>
        deps.client.find(secrets, { namespace: namespaceOf(pod), name }),
      );
      if (secret) found.push(...readPullSecret(secret));
    } catch (error) {
      if (isForbidden(error)) throw CONFIG_NOT_YET_READABLE({ kind: 'secret', name }, { cause: error });
      throw error;
    }
  }
  return found;
}
