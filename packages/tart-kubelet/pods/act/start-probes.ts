import { seconds } from '@minifleet/clock';
import type { GuestState } from '../../guests/guest.ts';
import type { Sight } from '../observe.ts';
import { containerNameOf, idOf, type Work } from '../pod-context.ts';
import type { Tending } from '../pod-state.ts';
import { type Hook, runHook } from '../probes/guest-action.ts';
import { type Prober, startProber } from '../probes/prober.ts';
import { keepVolumesFresh } from './refresh-volumes.ts';
import { watchSizes } from './size-limits.ts';

/** Looks after a run: begins its probes, its postStart hook, the renewal and the measuring of its volumes, once. */
export async function tend(work: Work, { run }: Sight): Promise<void> {
  const { life } = work;
  if (!run || life.tending?.attempt === run.attempt) return;
  life.tending?.end();
  life.retry = undefined;
  life.waiting = undefined;
  life.tending = begin(work, run.attempt);
}

function begin(work: Work, attempt: number): Tending {
  const { life, around } = work;
  const ours = life.launched === attempt;
  const ended = new AbortController();
  const volumes = keepVolumesFresh(work);
  void watchSizes(work, ended.signal);
  // Set once the postStart hook is through: kubelet calls a container running only then, and probes nothing before.
  const probing: { prober: Prober | undefined } = { prober: undefined };
  const probe = (): void => {
    if (ended.signal.aborted) return;
    probing.prober = beginProbes(work, attempt);
    work.wake();
  };
  if (ours) {
    work.say('Normal', 'Started', `Started container ${containerNameOf(work)}`);
    around.stages?.reached(life.uid, 'boot');
    around.stages?.reached(life.uid, 'running');
  }
  const hook = ours ? life.pod?.spec?.containers[0]?.lifecycle?.postStart : undefined;
  if (hook) void postStart(work, { attempt, hook, signal: ended.signal }).then(probe);
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

interface PostStart {
  readonly attempt: number;
  readonly hook: Hook;
  readonly signal: AbortSignal;
}

async function postStart(work: Work, { attempt, hook, signal }: PostStart): Promise<void> {
  const { life, around } = work;
  const { ok, output } = await runHook({ hook, clock: around.clock, signal, context: askingOf(work, attempt) });
  if (ok || signal.aborted) return;
  work.say('Warning', 'FailedPostStartHook', `PostStartHook failed: ${output}`);
  life.condemned = { attempt, because: 'a probe or hook failed' };
}

function beginProbes(work: Work, attempt: number): Prober {
  const { life, around } = work;
  return startProber({
    pod: life.pod as NonNullable<typeof life.pod>,
    clock: around.clock,
    context: () => askingOf(work, attempt),
    onChange: () => work.wake(),
    onUnhealthy: (kind, output) => work.say('Warning', 'Unhealthy', `${kind} probe failed: ${output}`),
    onFailed(kind, { terminationGracePeriodSeconds: own }) {
      const name = containerNameOf(work);
      work.say('Normal', 'Killing', `Container ${name} failed ${kind.toLowerCase()} probe, will be restarted`);
      const grace = own === undefined ? undefined : seconds(own);
      life.condemned = { attempt, because: 'a probe or hook failed', grace };
      work.wake();
    },
  });
}

/** What probes and hooks need to ask something of this run; the address may come late, so it is read each time. */
export function askingOf(work: Work, attempt: number) {
  const { life, around } = work;
  const id = idOf(work, attempt);
  const state: GuestState | undefined = around.guests.find(id)?.state;
  const address = state?.phase === 'running' ? state.address : undefined;
  return { guests: around.guests, id, address, pod: life.pod as NonNullable<typeof life.pod> };
}
