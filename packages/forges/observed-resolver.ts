import { countedCalls } from '@minifleet/errors';
import { type Redactor, Secret } from '@minifleet/secret';
import type { Forge, Resolver } from './forge.ts';

/** One finished call, for a counter. */
export interface ForgeRequest {
  readonly forge: string;
  readonly call: string;
  /** `ok`, or the reason of the error. */
  readonly outcome: string;
}

/** Metrics and log redaction of the program that uses a forge. */
export interface ForgeObserver {
  readonly onCall: (call: ForgeRequest) => void;
  /** Learns every private key before it is used. */
  readonly redactor: Pick<Redactor, 'learn'>;
}

/** Wraps a resolver: `redactor` learns each private key as the Secret holds it, and `onCall` is called after each call. */
export function observedResolver(resolver: Resolver, { onCall, redactor }: ForgeObserver): Resolver {
  const observed = new WeakMap<Forge, Forge>();
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
      const wrapped = observed.get(forge) ?? observedForge(forge, onCall);
      observed.set(forge, wrapped);
      return wrapped;
    },
  };
}

function observedForge(forge: Forge, onCall: ForgeObserver['onCall']): Forge {
  const counted = countedCalls((call, outcome) => onCall({ forge: forge.name, call, outcome }));
  return {
    name: forge.name,
    url: forge.url,
    registrationToken: counted('registrationToken', (...given) => forge.registrationToken(...given)),
    singleJobRunner: counted('singleJobRunner', (...given) => forge.singleJobRunner(...given)),
    runners: counted('runners', (...given) => forge.runners(...given)),
    runner: counted('runner', (...given) => forge.runner(...given)),
    remove: counted('remove', (...given) => forge.remove(...given)),
    runnerVersion: counted('runnerVersion', (...given) => forge.runnerVersion(...given)),
  };
}
