import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { spawnLeashed } from '../../spawn-leashed.ts';
import { isBriefCommand, runBriefCommand } from '../../tart/brief-command.ts';
import type { HostFile } from '../../tart/host/host-file.ts';
import { installTart, writeHostFile } from '../../tart/install-tart.ts';
import { machO } from '../code-signing/mach-o.ts';
import { hasAquaSession } from '../login-window/login-window.ts';
import { type Executable, type Mac, type MacPart, m1, type Program, type Run } from '../mac.ts';
import { processesOf } from '../processes/process-table.ts';
import { tarball } from '../unix/archive/tar.ts';

/** Tart settings of one Mac. */
export interface TartOnMac {
  readonly host: HostFile;
  /** True while a call other than `tart run` has not ended. Calls take real time, which a test with a fake clock waits for. */
  readonly busy: boolean;
  /** Also affects running processes: a held push continues, a disk fills up. */
  change(more: HostFile): void;
}

const KEY = Symbol('tart');

export const tartOf = (mac: Mac): TartOnMac =>
  mac.state<TartOnMac>(KEY, () => {
    throw new Error(`${mac.options.name} has no Tart; add tartPart to its parts`);
  });

/**
 * Makes a Tart binary on the Mac run the world's `tart` executable: a real process with its own home below `directory`.
 * Commands that act at once run in this process, because agents call them many times. `host` sets the other properties of this Mac. The Mac itself knows whether a user is logged in at the screen, and
 * passes this to Tart at each call.
 */
export const tartPart =
  (directory: string, host: HostFile = {}): MacPart =>
  mac => {
    const place = join(directory, mac.options.serverId);
    const world = join(place, 'world');
    const running = new Set<ChildProcess>();
    let calls = 0;
    let launcher: string | undefined;
    let like: HostFile = { seed: mac.options.serverId, ...host };
    const tell = (): void => writeHostFile(world, { ...like, gui: hasAquaSession(mac, m1.uid) });
    mac.state<TartOnMac>(KEY, () => ({
      get host() {
        return like;
      },
      get busy() {
        return calls > 0;
      },
      change(more) {
        like = { ...like, ...more };
        mkdirSync(world, { recursive: true });
        tell();
      },
    }));
    mac.onShutDown(() => {
      for (const child of running) child.kill('SIGKILL');
    });
    const program = (run: Run): Promise<number> => {
      launcher ??= installTart({ directory: join(place, 'bin'), world });
      tell();
      const argv = run.argv.slice(1);
      const environment = environmentOf(run, place);
      if (isBriefCommand(argv, like)) {
        const { out, err } = run;
        calls += 1;
        return runBriefCommand({ argv, environment: { ...environment, TART_WORLD: world }, out, err }).finally(() => {
          calls -= 1;
        });
      }
      const child = spawnLeashed([launcher, ...argv], { environment });
      running.add(child);
      // A guest's process runs for a long time, and scripts search for it: `pgrep -f 'tart run'`.
      const isGuest = run.argv[1] === 'run';
      if (isGuest) processesOf(mac).start({ argv: run.argv, user: run.user, session: run.session, child });
      else calls += 1;
      return follow(child, run).finally(() => {
        running.delete(child);
        if (!isGuest) calls -= 1;
      });
    };
    return { load: file => loadTart(file, program) };
  };

/** Each binary has its own version; the world's one Tart does everything else. */
function loadTart({ content }: Executable, program: Program): Program | undefined {
  const version = versionIn(content);
  if (version === undefined) return undefined;
  return run => {
    if (run.argv[1] !== '--version') return program(run);
    run.out(`${version}\n`);
    return 0;
  };
}

/** Passes only the variables Tart reads. Paths of the simulated Mac do not exist for a real process. */
const environmentOf = (run: Run, place: string): Record<string, string> => ({
  PATH: '/usr/bin:/bin',
  HOME: place,
  TART_HOME: join(place, 'home', run.user.name),
  ...Object.fromEntries(
    Object.entries(run.environment).filter(([name]) => /^TART_(REGISTRY_|NO_AUTO_PRUNE|WORLD_NETWORK)|^CI$/.test(name)),
  ),
});

function follow(child: ChildProcess, run: Run): Promise<number> {
  child.stdout?.on('data', chunk => run.out(chunk as Buffer));
  child.stderr?.on('data', chunk => run.err(chunk as Buffer));
  void feed(child, run);
  run.signal.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  return new Promise(resolve => {
    child.once('error', error => {
      run.err(`${error.message}\n`);
      resolve(126);
    });
    child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 143)));
  });
}

async function feed(child: ChildProcess, run: Run): Promise<void> {
  for (let chunk = await run.stdin.read(); chunk; chunk = await run.stdin.read()) child.stdin?.write(chunk);
  child.stdin?.end();
}

const TART_VERSION = '2.32.1';

/** Identifies a Tart binary at any path. */
const MARK = 'minifleet-world tart ';

export const tartBinary = (version = TART_VERSION): Buffer => machO(`${MARK}${version}`);

/** Undefined if the binary is not Tart. */
function versionIn(binary: Buffer): string | undefined {
  const at = binary.indexOf(MARK);
  return at < 0 ? undefined : /^[\w.-]+/.exec(binary.subarray(at + MARK.length, at + 64).toString('latin1'))?.[0];
}

/** The files of upstream's `tart.tar.gz` that programs here read: the whole bundle, not the bare binary. */
export const tartBundle = (version = TART_VERSION): Readonly<Record<string, Buffer | string>> => ({
  'tart.app/Contents/MacOS/tart': tartBinary(version),
  'tart.app/Contents/Info.plist': `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.github.cirruslabs.tart</string><key>CFBundleShortVersionString</key><string>${version}</string></dict></plist>
`,
});

/** Upstream's `tart.tar.gz`. */
export const tartArchive = (version = TART_VERSION): Buffer => tarball(tartBundle(version));
