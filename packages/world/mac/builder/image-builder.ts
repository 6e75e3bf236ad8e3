import { type Duration, seconds } from '@minifleet/clock';
import { type Mac, m1, root, type SessionType, type User } from '../mac.ts';

export interface RegistrationRequest {
  readonly url: string;
  readonly token: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly replace: boolean;
  readonly ephemeral: boolean;
}

/** A runner that listens for jobs, and where its jobs run. */
export interface OnlineRunner {
  readonly mac: Mac;
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly directory: string;
  readonly user: User;
  readonly session: SessionType;
  /** Of the listener: what its jobs inherit. */
  readonly environment: Readonly<Record<string, string>>;
  /** Below the directory. */
  readonly workFolder: string;
  /** A line of the listener's output. */
  readonly say: (line: string) => void;
}

/** `deleted`: the registration is gone at the forge. `unreachable` in the words of the network. */
export type ConnectionResult = 'connected' | 'deleted' | { readonly unreachable: string };

/** The forge as a runner on this Mac reaches it; the world connects it to its GitHub. */
export interface RunnerForge {
  /** The runner's id, or the answer to a token that is wrong, used up or expired. */
  register(
    registration: RegistrationRequest,
  ): Promise<{ readonly id: number } | { readonly status: number; readonly message: string }>;
  unregister(url: string, id: number): Promise<void>;
  /** What a listener hears when it opens its session; `connected` where there is nothing to say. */
  connect?(runner: OnlineRunner): ConnectionResult;
  online(runner: OnlineRunner): void;
  offline(runner: OnlineRunner): void;
}

interface Bake {
  readonly mac: Mac;
  readonly source: string;
  /** The VM the template asks for; it runs, if the template names a base to clone it from. */
  readonly vm: string;
}

interface Builder {
  /** Unset: there is no forge to reach. */
  forge: RunnerForge | undefined;
  /** What the provisioners of a template do once Packer is connected; it takes as long as this does. */
  bake: ((bake: Bake) => Promise<void>) | undefined;
  /** From the start of Packer's guest until its SSH answers (facts §3.13: "healthy ≈ 20 s"). */
  guestBoots: Duration;
}

const KEY = Symbol('builder');

export const builderOf = (mac: Mac): Builder =>
  mac.state(KEY, () => ({ forge: undefined, bake: undefined, guestBoots: seconds(20) }));

const XCODE = '/Applications/Xcode.app';
/** Of all its tools those anyone asks for. Command Line Tools have no xcodebuild of their own. */
const XCODE_TOOLS = ['usr/bin/xcodebuild', 'Toolchains/XcodeDefault.xctoolchain/usr/bin/swift'];

/** Puts an Xcode on the Mac; a fresh image has none (facts §4). */
export function installXcode(mac: Mac): void {
  for (const tool of XCODE_TOOLS) {
    const path = `${XCODE}/Contents/Developer/${tool}`;
    mac.files.makeDirectory(root, path.slice(0, path.lastIndexOf('/')), { parents: true });
    mac.files.write(root, path, '', { mode: 0o755 });
  }
  mac.files.chown(root, XCODE, m1.uid, 80);
}

/** Command Line Tools only: enough for Homebrew, not for a build (facts §4). */
export function installCommandLineTools(mac: Mac): void {
  const folder = '/Library/Developer/CommandLineTools/usr/bin';
  mac.files.makeDirectory(root, folder, { parents: true });
  mac.files.write(root, `${folder}/swift`, '', { mode: 0o755 });
}
