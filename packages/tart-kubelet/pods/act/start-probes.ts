import { seconds } from '@minifleet/clock';
import type { GuestState } from '../../guests/guest.ts';
import type { PodObservation } from '../observe.ts';
import { containerNameOf, idOf, type PodContext } from '../pod-context.ts';
import type { RunMonitor } from '../pod-state.ts';
import { type LifecycleHook, runHook } from '../probes/guest-action.ts';
import { type Prober, startProber } from '../probes/prober.ts';
import { refreshVolumes } from './refresh-volumes.ts';
import { enforceSizeLimits } from './size-limits.ts';

/** Starts the background context of a run, once: probes, the postStart hook, volume refresh and size limits. */
export async function monitorRun(context: PodContext, { run }: PodObservation): Promise<void> {
  const { state } = context;
  if (!run || state.monitor?.attempt === run.attempt) return;
  state.monitor?.end();
  state.retry = undefined;
  state.waiting = undefined;
  state.monitor = run.guest?.spec.vmName === undefined ? begin(context, run.attempt) : inherited(run.attempt);
}

/** The previous agent ran neither probes nor hooks and refreshed no volumes; its Pods are ready while their VM runs. */
const inherited = (attempt: number): RunMonitor => ({
  attempt,
  prober: { started: true, ready: true, stop: () => undefined },
  refreshVolumes: () => undefined,
  end: () => undefined,
});

function begin(context: PodContext, attempt: number): RunMonitor {
  const { state, deps } = context;
  const ours = state.launched === attempt;
  const ended = new AbortController();
  const volumes = refreshVolumes(context);
  void enforceSizeLimits(context, ended.signal);
  // Set once the postStart hook has finished: kubelet calls a container running, and probes it, only from then on.
  const probing: { prober: Prober | undefined } = { prober: undefined };
  const probe = (): void => {
    if (ended.signal.aborted) return;
    probing.prober = beginProbes(context, attempt);
    context.wake();
  };
  if (ours) {
    context.emit('Normal', 'Started', `Started container ${containerNameOf(context)}`);
    deps.stages?.reached(state.uid, 'boot');
    deps.stages?.reached(state.uid, 'running');
  }
  const hook = ours ? state.pod?.spec?.containers[0]?.lifecycle?.postStart : undefined;
  if (hook) void postStart(context, { attempt, hook, signal: ended.signal }).then(probe);
  else probe();
  return {
    attempt,
    prober: {
      get started() {
        return probing.prober?.started ?? false;
      },
      get ready() {
        return probing.prober?.ready ?? false;
      },
      stop: () => probing.prober?.stop(),
    },
    refreshVolumes: () => volumes.touch(),
    end() {
      ended.abort();
      volumes.end();
      probing.prober?.stop();
    },
  };
}

interface PostStartHook {
  readonly attempt: number;
  readonly hook: LifecycleHook;
  readonly signal: AbortSignal;
}

async function postStart(context: PodContext, { attempt, hook, signal }: PostStartHook): Promise<void> {
  const { state, deps } = context;
  const { ok, output } = await runHook({ hook, clock: deps.clock, signal, context: actionContext(context, attempt) });
  if (ok || signal.aborted) return;
  context.emit('Warning', 'FailedPostStartHook', `PostStartHook failed: ${output}`);
  state.mustRestart = { attempt, because: 'a probe or hook failed' };
}

function beginProbes(context: PodContext, attempt: number): Prober {
  const { state, deps } = context;
  return startProber({
    pod: state.pod as NonNullable<typeof state.pod>,
    clock: deps.clock,
    context: () => actionContext(context, attempt),
    onChange: () => context.wake(),
    onUnhealthy: (kind, output) => context.emit('Warning', 'Unhealthy', `${kind} probe failed: ${output}`),
    onFailed(kind, { terminationGracePeriodSeconds: own }) {
      const name = containerNameOf(context);
      context.emit('Normal', 'Killing', `Container ${name} failed ${kind.toLowerCase()} probe, will be restarted`);
      const grace = own === undefined ? undefined : seconds(own);
      state.mustRestart = { attempt, because: 'a probe or hook failed', grace };
      context.wake();
    },
  });
}

/** Context for probes and hooks of this run. The address is read on each call because the guest may get it late. */
export function actionContext(context: PodContext, attempt: number) {
  const { state, deps } = context;
  const id = idOf(context, attempt);
  const guestState: GuestState | undefined = deps.guests.find(id)?.state;
  const address = guestState?.phase === 'running' ? guestState.address : undefined;
  return { guests: deps.guests, id, address, pod: state.pod as NonNullable<typeof state.pod> };
}
