import type { Clock } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import type { ActionContext, Probe } from './guest-action.ts';
import { runProbeLoop } from './probe-loop.ts';

export type ProbeKind = 'Startup' | 'Readiness' | 'Liveness';

export interface ProberOptions {
  readonly pod: Pod;
  readonly clock: Clock;
  readonly context: () => Omit<ActionContext, 'signal'>;
  onChange(): void;
  onUnhealthy(kind: ProbeKind, output: string): void;
  /** The run may not go on. */
  onFailed(kind: ProbeKind, probe: Probe): void;
}

/** The probes of one run. Until the startup probe has passed the others wait; without a readiness probe a started run is ready. */
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

  function watch(kind: ProbeKind, probe: Probe, onPassing: (passing: boolean) => void): void {
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
