import { seconds } from '@minifleet/clock';
import type { FakeClock } from '@minifleet/clock/testing';
import { type BuiltMac, createMac } from '../mac/create-mac.ts';
import { macParts } from '../mac/mac-parts.ts';
import { type Executed, type ExecuteOptions, execute } from '../mac/shell/execute.ts';
import { root } from '../mac/user.ts';
import type { Surroundings } from '../surroundings.ts';

/** A Mac in a scene, used as the operators used theirs: shell text over SSH. */
export interface SceneMac {
  readonly mac: BuiltMac;
  readonly password: string;
  run(script: string, options?: ExecuteOptions): Promise<Executed>;
  /** Starts a script and does not let time pass for it. */
  start(script: string, options?: ExecuteOptions): Promise<Executed>;
  /** Lets seconds of the world's time pass. */
  pass(count: number): Promise<void>;
  /** Puts a file there as root, as an earlier bootstrap would have left it. */
  write(path: string, content: string | Buffer, mode?: number): void;
  append(path: string, content: string): void;
  read(path: string): Buffer;
}

export interface SceneMacOptions {
  /** Whether `/etc/sudoers.d/m1-nopasswd` is there already; it is unless said. */
  readonly passwordlessSudo?: boolean;
  readonly password?: string;
}

const PASSWORD = 'correct horse';

export function openSceneMac(
  around: Surroundings & { readonly clock: FakeClock },
  during: <T>(work: Promise<T>) => Promise<T>,
  options: SceneMacOptions = {},
): SceneMac {
  const { password = PASSWORD } = options;
  const mac = createMac(
    {
      name: 'mini-01',
      serverId: around.chance.stream('mini-01').uuid(),
      address: '127.0.0.1',
      password,
      macos: { version: '26.3', build: '25D125' },
      parts: macParts,
    },
    around,
  );
  if (options.passwordlessSudo ?? true) {
    mac.files.write(root, '/etc/sudoers.d/m1-nopasswd', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  }
  return useMac({ mac, password, during, pass: count => around.clock.advance(seconds(count)) });
}

export interface UseMacOptions extends Pick<SceneMac, 'mac' | 'password' | 'pass'> {
  /** Lets time pass until the work ends; where time passes by itself, the work as it is. */
  readonly during: <T>(work: Promise<T>) => Promise<T>;
}

/** A Mac that is there already, used as the operators used theirs. */
export function useMac({ mac, password, pass, during }: UseMacOptions): SceneMac {
  const { files } = mac;
  return {
    mac,
    password,
    run: (script, how) => during(execute(mac, script, how)),
    start: (script, how) => execute(mac, script, how),
    pass,
    write(path, content, mode = 0o644) {
      if (files.exists(root, path)) files.remove(root, path);
      files.write(root, path, content, { mode });
    },
    append: (path, content) => files.write(root, path, content, { append: true }),
    read: path => files.read(root, path),
  };
}
