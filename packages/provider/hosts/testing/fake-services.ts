import type { CataloguedError } from '@minifleet/errors';
import { Secret } from '@minifleet/secret';
import type { BuilderForge } from '../../builders/builder-forge.ts';
import type { HostAccess, HostCredentialStore } from '../../credentials/credentials.ts';

/** Responses of the credential store and of GitHub. A test changes them. */
export interface FakeServices {
  access: HostAccess;
  /** Error of the registration of the fleet key. */
  keyError?: CataloguedError | undefined;
  runner: Awaited<ReturnType<BuilderForge['state']>>;
  /** Error of a GitHub request. */
  forgeError?: Error | undefined;
  /** False if GitHub refuses to remove the runner, because it has a job. */
  removable: boolean;
  /** Effects on credentials and runners, in order. */
  readonly effects: string[];
  readonly credentials: HostCredentialStore;
  readonly forge: BuilderForge;
}

export const PASSWORD = 'p4ssw0rd';

export function fakeServices(token = new Secret('token', 't0ken')): FakeServices {
  const effects: string[] = [];
  const note = (effect: string) => async (): Promise<void> => void effects.push(effect);
  const services: FakeServices = {
    access: { user: 'm1', password: new Secret('password', PASSWORD), passwordRejected: false },
    runner: 'online',
    removable: true,
    effects,
    credentials: {
      async fleetKey(_, { rejected = false } = {}) {
        if (rejected) effects.push('register key');
        if (services.keyError) throw services.keyError;
        return { name: 'key', publicKey: 'ssh-ed25519 AAAA', privateKey: new Secret('fleet key', 'pr1vate') };
      },
      access: async () => services.access,
      async pin(_, hostKey) {
        effects.push(`pin ${hostKey}`);
        services.access = { ...services.access, hostKey };
      },
      passwordRejected: (_, tried) => note(`password ${tried.reveal().toString()} rejected`)(),
      async forget() {
        effects.push('forget credentials');
        const { hostKey: _pinned, ...access } = services.access;
        services.access = access;
      },
    },
    forge: {
      async token() {
        effects.push('runner token');
        return token;
      },
      url: () => 'https://github.com/acme',
      async state() {
        if (services.forgeError) throw services.forgeError;
        return services.runner;
      },
      async remove(_namespace, _spec, name) {
        if (services.forgeError) throw services.forgeError;
        effects.push(services.removable ? `remove runner ${name}` : `runner ${name} is busy`);
        return services.removable;
      },
    },
  };
  return services;
}
