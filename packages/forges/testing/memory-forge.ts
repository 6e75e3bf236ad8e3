import { type Clock, minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { Secret } from '@minifleet/secret';
import { FORGE_GROUP_UNKNOWN, FORGE_RUNNER_EXISTS } from '../errors.ts';
import type { Forge, ForgeCallOptions, NewRunner, Runner, RunnerVersionSupport, SingleJobRunner } from '../forge.ts';
import type { ForgeCall } from './forge-call.ts';
import { createMemoryFaults, errorOf, hang, type MemoryFault } from './memory-faults.ts';
import { createMemoryRunners, type MemoryRunners } from './memory-runners.ts';

export interface MemoryForgeOptions {
  readonly account?: string;
  /** Clock that expires tokens (default: a clock that does not advance). */
  readonly clock?: Clock;
  /** Runners registered at the start. */
  readonly runners?: readonly (Partial<Runner> & Pick<Runner, 'name'>)[];
  /** Besides `Default`. */
  readonly groups?: readonly string[];
  /** Awaited before a call has its effect: here a test lets others act in between. */
  readonly onCall?: (call: ForgeCall) => void | Promise<void>;
}

export interface MemoryForge extends Forge, MemoryRunners {
  /** Versions of the runner that the forge knows. */
  readonly versions: Map<string, RunnerVersionSupport>;
  /** Every call that was made, in order, also those that failed. */
  readonly calls: readonly ForgeCall[];
  /** Acts like `config.sh` followed by `run.sh`. Throws if the token is invalid. */
  readonly register: (token: Secret, runner: Pick<Runner, 'name' | 'labels'>) => Runner;
  /** Acts like `run.sh --jitconfig`: the runner comes online, or this throws. */
  readonly start: (configuration: Secret) => Runner;
  readonly failNext: (fault: MemoryFault) => void;
  /** Forgets the faults that have not struck yet. */
  readonly heal: () => void;
}

const TOKEN_LIFE = minutes(60);

/** A forge without a network, for tests of packages that use a forge. It passes the contract of every driver. */
export function memoryForge(options: MemoryForgeOptions = {}): MemoryForge {
  const { account = 'acme', clock = fakeClock(), groups = [] } = options;
  const forge = 'memory';
  const { named, remove, ...runners } = createMemoryRunners(options.runners ?? []);
  const faults = createMemoryFaults();
  const calls: ForgeCall[] = [];
  const tokens = new Map<string, number>();
  const versions = new Map<string, RunnerVersionSupport>();

  /** The one way of every call: it is noted, may fail before or after its effect, and ends with its signal. */
  async function run<T>(call: ForgeCall, { signal }: ForgeCallOptions = {}, effect: () => T): Promise<T> {
    calls.push(call);
    signal?.throwIfAborted();
    const fault = faults.take(call.call);
    if (fault?.when === 'hang') return hang(signal);
    if (fault?.when === 'before') throw errorOf(fault, forge, call.call);
    await options.onCall?.(call);
    signal?.throwIfAborted();
    const result = effect();
    if (fault) throw errorOf(fault, forge, call.call);
    return result;
  }

  function mint(): { token: Secret; expiresAt: number } {
    const token = `registration-${tokens.size + 1}`;
    const expiresAt = clock.now() + TOKEN_LIFE;
    tokens.set(token, expiresAt);
    return { token: new Secret(`a registration token of ${account}`, token), expiresAt };
  }

  function singleJobRunner({ name, labels, group = 'Default' }: NewRunner): SingleJobRunner {
    const known = ['Default', ...groups];
    if (!known.includes(group)) throw FORGE_GROUP_UNKNOWN({ forge, group, account, known: known.join(', ') });
    const old = named(name);
    if (old && (old.busy || old.state === 'online')) throw FORGE_RUNNER_EXISTS({ forge, name, account });
    if (old) remove(old.id);
    const { id } = runners.put({ name, labels, state: 'offline', singleJob: true });
    return { id, configuration: new Secret(`the configuration of the runner ${name}`, `configuration-${id}`) };
  }

  return {
    ...runners,
    name: forge,
    url: `https://forge.test/${account}`,
    registrationToken: settings => run({ call: 'registrationToken' }, settings, mint),
    singleJobRunner: (runner, settings) =>
      run({ call: 'singleJobRunner', runner: runner.name }, settings, () => singleJobRunner(runner)),
    runners: settings => run({ call: 'runners' }, settings, runners.all),
    runner: (name, settings) => run({ call: 'runner', runner: name }, settings, () => named(name)),
    remove: (id, settings) => run({ call: 'remove', id }, settings, () => remove(id)),
    runnerVersion: (version, settings) =>
      run({ call: 'runnerVersion', version }, settings, () => versions.get(version)),
    calls,
    versions,
    register(token, { name, labels }) {
      if ((tokens.get(token.reveal().toString()) ?? 0) <= clock.now()) throw new Error('404: the token is not good');
      return runners.put({ name, labels });
    },
    start(configuration) {
      const id = Number(configuration.reveal().toString().split('-')[1]);
      const runner = runners.all().find(each => each.id === id);
      if (!runner) throw new Error('the registration of this runner has been deleted');
      return runners.put({ ...runner, state: 'online' });
    },
    failNext: faults.add,
    heal: faults.clear,
  };
}
