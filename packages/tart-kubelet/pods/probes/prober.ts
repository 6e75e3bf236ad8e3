import { type Clock, pause, seconds } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import { type ActionContext, type ActionResult, type ContainerProbe, runAction } from './guest-action.ts';

type ProbeKind = 'Startup' | 'Readiness' | 'Liveness';

interface ProberOptions {
  readonly pod: Pod;
  readonly clock: Clock;
  readonly context: () => Omit<ActionContext, 'signal'>;
  onChange(): void;
  onUnhealthy(kind: ProbeKind, output: string): void;
  /** Called when the run must be restarted. */
  onFailed(kind: ProbeKind, probe: ContainerProbe): void;
}

/**
 * Probes of one run. The others wait until the startup probe has passed; without a readiness probe, a started run is
 * ready.
 */
export interface Prober {
  readonly started: boolean;
  readonly ready: boolean;
  stop(): void;
}

export function startProber(options: ProberOptions): Prober {
  const { startupProbe, readinessProbe, livenessProbe } = options.pod.spec?.containers[0] ?? {};
  const stop = new AbortController();
  const startup = new AbortController();
  let failures = 0;
  const state = { started: startupProbe === undefined, ready: readinessProbe === undefined };

  function watch(kind: ProbeKind, probe: ContainerProbe, onPassing: (passing: boolean) => void): void {
    const ended = AbortSignal.any([stop.signal, kind === 'Startup' ? startup.signal : NEVER]);
    let passing = kind === 'Liveness';
    void runProbeLoop({
      ...options,
      probe,
      signal: ended,
      initially: passing,
      onResult(result, count) {
        if (!result.ok) options.onUnhealthy(kind, result.output);
        const failedToStart = kind === 'Startup' && !result.ok && ++failures >= (probe.failureThreshold ?? 3);
        if (failedToStart) return options.onFailed(kind, probe);
        if (count.passing === passing) return;
        passing = count.passing;
        onPassing(passing);
      },
    });
  }

  function watchStarted(): void {
    if (readinessProbe) {
      watch('Readiness', readinessProbe, passing => {
        state.ready = passing;
        options.onChange();
      });
    }
    if (livenessProbe) {
      watch('Liveness', livenessProbe, passing => {
        if (!passing) options.onFailed('Liveness', livenessProbe);
      });
    }
  }

  if (!startupProbe) watchStarted();
  else {
    watch('Startup', startupProbe, () => {
      startup.abort();
      state.started = true;
      options.onChange();
      watchStarted();
    });
  }

  return {
    get started() {
      return state.started;
    },
    get ready() {
      return state.ready;
    },
    stop: () => stop.abort(),
  };
}

const NEVER = new AbortController().signal;

/** State of a series of probe results; a change counts after enough consecutive results. */
interface ProbeCount {
  readonly passing: boolean;
  /** Number of consecutive results that contradict `passing`. */
  readonly against: number;
}

interface ProbeThresholds {
  readonly success: number;
  readonly failure: number;
}

function countProbe(before: ProbeCount, succeeded: boolean, { success, failure }: ProbeThresholds): ProbeCount {
  if (succeeded === before.passing) return { passing: before.passing, against: 0 };
  const against = before.against + 1;
  return against >= (succeeded ? success : failure) ? { passing: succeeded, against: 0 } : { ...before, against };
}

interface ProbeLoop {
  readonly probe: ContainerProbe;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly initially: boolean;
  readonly context: () => Omit<ActionContext, 'signal'>;
  onResult(result: ActionResult, count: ProbeCount): void;
}

/** Runs the probe periodically until the signal aborts. */
async function runProbeLoop(loop: ProbeLoop): Promise<void> {
  const { probe, clock, signal } = loop;
  const thresholds = { success: probe.successThreshold ?? 1, failure: probe.failureThreshold ?? 3 };
  let count: ProbeCount = { passing: loop.initially, against: 0 };
  await pause(clock, seconds(probe.initialDelaySeconds ?? 0), signal);
  while (!signal.aborted) {
    const result = await probeOnce(loop);
    if (signal.aborted) return;
    count = countProbe(count, result.ok, thresholds);
    loop.onResult(result, count);
    await pause(clock, seconds(probe.periodSeconds ?? 10), signal);
  }
}

async function probeOnce({ probe, clock, signal, context }: ProbeLoop): Promise<ActionResult> {
  const late = new AbortController();
  const timer = clock.after(seconds(probe.timeoutSeconds ?? 1), () => late.abort());
  try {
    return await runAction(probe, { ...context(), signal: AbortSignal.any([signal, late.signal]) });
  } finally {
    timer.cancel();
  }
}
