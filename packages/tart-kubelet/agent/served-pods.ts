import type { Pod } from '@minifleet/kube';
import type { Guest, Guests } from '../guests/guest.ts';
import { logFileOf } from '../pods/pod-paths.ts';
import type { Pods } from '../pods/pods.ts';
import type { ServedPod, ServerGuests } from '../server/server-deps.ts';

interface ServedPodsOptions {
  readonly pods: Pick<Pods, 'find'>;
  readonly guests: Guests;
  /** Folder of the Pod logs. */
  readonly logs: string;
}

/** Pods and their guests, as the server shows them. */
export const servedPods = (options: ServedPodsOptions): ServerGuests => ({
  find({ namespace, name, uid }) {
    const pod = options.pods.find(namespace, name);
    if (!pod || (uid !== undefined && pod.metadata.uid !== uid)) return undefined;
    return served(options, pod);
  },
});

function served({ guests, logs }: ServedPodsOptions, pod: Pod): ServedPod {
  const uid = pod.metadata.uid ?? '';
  const newest = (): Guest | undefined =>
    guests
      .all()
      .filter(({ spec }) => spec.id.uid === uid)
      .toSorted((one, other) => other.spec.id.attempt - one.spec.id.attempt)[0];
  // A guest that was removed has left its log: the status says how often the Pod was started.
  const attempt = (): number => newest()?.spec.id.attempt ?? pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
  return {
    namespace: pod.metadata.namespace ?? 'default',
    name: pod.metadata.name,
    uid,
    containers: pod.spec?.containers.map(container => container.name) ?? [],
    get state() {
      return newest()?.state;
    },
    get address() {
      const state = newest()?.state;
      return state?.phase === 'running' ? state.address : undefined;
    },
    onStateChange: listener =>
      guests.onChange(guest => {
        if (guest.spec.id.uid === uid) listener();
      }),
    logFile(run) {
      const number = attempt() - (run === 'previous' ? 1 : 0);
      return number < 0 ? undefined : logFileOf(logs, pod, number);
    },
    async exec(how) {
      const guest = newest();
      if (!guest) throw new Error(`no guest of ${pod.metadata.namespace}/${pod.metadata.name} is running`);
      return guests.exec(guest.spec.id, how);
    },
    async screen() {
      const guest = newest();
      return guest && guests.screen(guest.spec.id);
    },
  };
}
