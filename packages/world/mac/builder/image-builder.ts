import { type Duration, seconds } from '@minifleet/clock';
import { type Mac, m1, root, type SessionType, type User } from '../mac.ts';

export interface RegistrationRequest {
  readonly url: string;
  readonly token: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly replace: boolean;
  readonly ephemeral: boolean;
  /** Version of the unpacked runner. */
  readonly version: string;
}

/** A runner that listens for jobs, and the Mac its jobs run on. */
export interface OnlineRunner {
  readonly mac: Mac;
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly directory: string;
  readonly user: User;
  readonly session: SessionType;
  /** Environment of the listener, which its jobs inherit. */
  readonly environment: Readonly<Record<string, string>>;
  /** Relative to the directory. */
  readonly workFolder: string;
  /** Prints a line of the listener's output. */
  readonly say: (line: string) => void;
}

/** `deleted`: GitHub no longer has the registration. `unreachable`: the text of the network error. */
export type ConnectionResult = 'connected' | 'deleted' | { readonly unreachable: string };

/** GitHub as a runner on this Mac reaches it. The world connects it to its simulated GitHub. */
export interface RunnerForge {
  /** Returns the runner's id, or GitHub's response to a token that is invalid, used up or expired. */
  register(
    registration: RegistrationRequest,
  ): Promise<{ readonly id: number } | { readonly status: number; readonly message: string }>;
  unregister(url: string, id: number): Promise<void>;
  /** Result of opening the listener's session (default: `connected`). */
  connect?(runner: OnlineRunner): ConnectionResult;
  online(runner: OnlineRunner): void;
  offline(runner: OnlineRunner): void;
}

interface Bake {
  readonly mac: Mac;
  readonly source: string;
  /** The VM of the template. It runs if the template names a base to clone it from. */
  readonly vm: string;
}

interface Builder {
  /** Unset: GitHub is unreachable. */
  forge: RunnerForge | undefined;
  /** Simulates the provisioners of a template after Packer has connected. The build takes as long as this call. */
  bake: ((bake: Bake) => Promise<void>) | undefined;
  /** Time from the start of Packer's guest until its SSH answers (facts §3.13: "healthy ≈ 20 s"). */
  guestBoots: Duration;
}

const KEY = Symbol('builder');

export const builderOf = (mac: Mac): Builder =>
  mac.state(KEY, () => ({ forge: undefined, bake: undefined, guestBoots: seconds(20) }));

const XCODE = '/Applications/Xcode.app';
/** The only Xcode tools that programs here use. Command Line Tools contain no xcodebuild. */
const XCODE_TOOLS = ['usr/bin/xcodebuild', 'Toolchains/XcodeDefault.xctoolchain/usr/bin/swift'];

/** Installs an Xcode on the Mac; a fresh image has none (facts §4). */
export function installXcode(mac: Mac): void {
  for (const tool of XCODE_TOOLS) {
    const path = `${XCODE}/Contents/Developer/${tool}`;
    mac.files.makeDirectory(root, path.slice(0, path.lastIndexOf('/')), { parents: true });
    mac.files.write(root, path, '', { mode: 0o755 });
  }
  mac.files.chown(root, XCODE, m1.uid, 80);
}

/** Installs only the Command Line Tools: enough for Homebrew, not for a build (facts §4). */
export function installCommandLineTools(mac: Mac): void {
  const folder = '/Library/Developer/CommandLineTools/usr/bin';
  mac.files.makeDirectory(root, folder, { parents: true });
  mac.files.write(root, `${folder}/swift`, '', { mode: 0o755 });
}
