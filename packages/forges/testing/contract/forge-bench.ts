import type { Secret } from '@minifleet/secret';
import type { Forge } from '../../forge.ts';
import type { CallName } from '../forge-call.ts';

/** A driver on a forge that the test rules: what runners do on their hosts, and what breaks on the way. */
export interface ForgeBench {
  readonly forge: Forge;
  /** A group of runners besides the default one. */
  readonly group: string;
  /** The forge’s clock. */
  readonly now: () => number;
  /** Acts like `config.sh` followed by `run.sh`: the runner comes online. Throws if the token is invalid. */
  readonly register: (token: Secret, name: string, labels: readonly string[]) => void;
  /** Acts like `run.sh --jitconfig`: the runner comes online. */
  readonly start: (configuration: Secret) => void;
  /** Its process says goodbye. */
  readonly disconnect: (name: string) => void;
  readonly takeJob: (name: string) => Promise<void>;
  readonly finishJob: (name: string) => void;
  /** Announces a version of the runner, and when its support ends. */
  readonly announce: (version: string, endsAt: number | undefined) => void;
  /** `lost`: the next one has its effect and no answer · `down`: every one fails from now on · `hang`: no answer comes. */
  readonly strike: (call: CallName, fault: 'lost' | 'down' | 'hang') => void;
  readonly heal: () => void;
  /** May not be found in any error. */
  readonly secrets: () => readonly string[];
  readonly close: () => Promise<void>;
}

export interface ForgeContract {
  readonly name: string;
  readonly open: () => Promise<ForgeBench>;
}

/** Declares a test with a bench of its own. */
export type BenchTest = (sentence: string, body: (bench: ForgeBench) => Promise<void>) => void;

export type Topic = (test: BenchTest) => void;

export const LABELS = ['self-hosted', 'macos-26'];

/** A runner that was registered by hand, online and idle. */
export async function registered({ forge, register }: ForgeBench, name: string): Promise<void> {
  register((await forge.registrationToken()).token, name, LABELS);
}
