import type { Forge, Resolver } from '@minifleet/forges';
import { countedCalls } from '@minifleet/kube';
import { type Redactor, Secret } from '@minifleet/secret';

export interface ForgeCallEnd {
  readonly forge: string;
  readonly call: string;
  /** `ok`, or the reason of the error. */
  readonly outcome: string;
}

export interface ForgeObserver {
  readonly onCall: (end: ForgeCallEnd) => void;
  /** Learns every key before it is used. */
  readonly redactor: Pick<Redactor, 'learn'>;
}

/** The same resolver; the end of each call of its forges is told, and the log learns their keys. */
export function observedResolver(resolver: Resolver, { onCall, redactor }: ForgeObserver): Resolver {
  const counted = new WeakMap<Forge, Forge>();
  const learnt = new Set<string>();
  return {
    url: account => resolver.url(account),
    async resolve(reference) {
      const key = Buffer.from(reference.fields['private-key'] ?? '').toString('utf8');
      if (key !== '' && !learnt.has(key)) {
        learnt.add(key);
        redactor.learn(new Secret(`private key of ${reference.place}`, key));
      }
      const forge = await resolver.resolve(reference);
      const known = counted.get(forge) ?? countedForge(forge, onCall);
      counted.set(forge, known);
      return known;
    },
  };
}

function countedForge(forge: Forge, onCall: ForgeObserver['onCall']): Forge {
  const counted = countedCalls((call, outcome) => onCall({ forge: forge.name, call, outcome }));
  return {
    name: forge.name,
    url: forge.url,
    registrationToken: counted('registrationToken', (...given) => forge.registrationToken(...given)),
    singleJobRunner: counted('singleJobRunner', (...given) => forge.singleJobRunner(...given)),
    runners: counted('runners', (...given) => forge.runners(...given)),
    runner: counted('runner', (...given) => forge.runner(...given)),
    remove: counted('remove', (...given) => forge.remove(...given)),
  };
}
