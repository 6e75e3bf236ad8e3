/** A simulated Mac whose launchd runs the built agent, in the state after a bootstrap. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { milliseconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { WorldDeps } from '@minifleet/world';
import {
  agentOnMac,
  type BuiltMac,
  createMac,
  execute,
  jobProgramsOf,
  m1,
  machO,
  macParts,
  root,
  tartPart,
} from '@minifleet/world/mac';
import type { HostFile } from '@minifleet/world/testing';
import { plist } from '@minifleet/world/testing';
import type { AgentNetwork } from '@minifleet/world/testing/mac';
import { encodePassword, hasAquaSession, loginWindowSettings, tartBundle } from '@minifleet/world/testing/mac';

const LABEL = 'dev.tuist.tart-kubelet';
const PROGRAM = '/usr/local/bin/tart-kubelet';
const PASSWORD = 'correct horse';

export interface AgentMacOptions {
  readonly deps: WorldDeps;
  readonly binary: string;
  readonly network: AgentNetwork;
  /** Content of the bootstrap kubeconfig. */
  readonly kubeconfig: string;
  readonly tart: HostFile;
  readonly name: string;
  readonly flags?: readonly string[];
}

export interface AgentMac {
  readonly mac: BuiltMac;
  readonly name: string;
  /** Folder of this machine that is the disk of the Mac. */
  readonly folder: string;
  /** Loads the job into launchd. */
  start(): Promise<void>;
  /** Runs a command as root. */
  asRoot(command: string): Promise<string>;
  /** PID of the agent. */
  pid(): Promise<number>;
  /** Last lines of launchd's log and of the agent's log. */
  logs(): string;
  /** Runs Tart as the Mac's user, independent of the agent. */
  tart(...argv: readonly string[]): Promise<string>;
  stop(): void;
}

export async function openAgentMac(options: AgentMacOptions): Promise<AgentMac> {
  const { name, network } = options;
  const folder = mkdtempSync(join(tmpdir(), 'mac-'));
  const tarts = mkdtempSync(join(tmpdir(), 'tart-'));
  const mac = macOf(options, tarts);
  const home = join(tarts, mac.options.serverId, 'home', m1.name);
  mkdirSync(home, { recursive: true });
  const flags = ['--state-dir=/var/lib/tart-kubelet', '--log-dir=/var/log/tart-kubelet'];
  const { binary } = options;
  const program = agentOnMac(mac, { directory: folder, binary, flags, network, environment: { TART_HOME: home } });
  jobProgramsOf(mac).set(PROGRAM, program);
  install(mac, options);
  await logIn(mac);
  const asRoot = async (command: string): Promise<string> => (await execute(mac, command, { user: root })).out;
  return {
    mac,
    name,
    folder,
    asRoot,
    start: async () => void (await asRoot(`launchctl bootstrap system /Library/LaunchDaemons/${LABEL}.plist`)),
    pid: async () => Number(/\bpid = (\d+)/.exec(await asRoot(`launchctl print system/${LABEL}`))?.[1]),
    logs: () => [mac.files.read(root, LOG).toString(), ownLog(folder)].map(lastLines).join('\n'),
    tart: async (...argv) => (await execute(mac, ['/usr/local/bin/tart', ...argv].join(' '))).out,
    stop() {
      mac.shutDown();
      for (const path of [folder, tarts]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const macOf = ({ name, network, deps, tart }: AgentMacOptions, tarts: string): BuiltMac =>
  createMac(
    {
      name,
      serverId: `00000000-0000-4000-8000-${name.replace(/\W/g, '').slice(-12).padStart(12, '0')}`,
      address: network.address,
      password: PASSWORD,
      macos: { version: '26.3', build: '25D125' },
      parts: [...macParts, tartPart(tarts, tart)],
      rebootMilliseconds: 1_000,
    },
    deps,
  );

const lastLines = (text: string): string => text.split('\n').slice(-40).join('\n');

const LOG = '/var/log/tart-kubelet.log';

function ownLog(folder: string): string {
  try {
    return readFileSync(join(folder, 'var/log/tart-kubelet/tart-kubelet.log'), 'utf8');
  } catch {
    return '';
  }
}

/** Writes Tart, the agent and its kubeconfig to the paths of the bootstrap steps. */
function install(mac: BuiltMac, { kubeconfig, name, flags = [] }: AgentMacOptions): void {
  const put = (path: string, content: string | Buffer, mode: number): void => {
    mac.files.makeDirectory(root, path.slice(0, path.lastIndexOf('/')), { parents: true });
    mac.files.write(root, path, content, { mode });
  };
  for (const [path, content] of Object.entries(tartBundle())) put(`/usr/local/lib/${path}`, content, 0o755);
  put('/usr/local/bin/tart', '#!/bin/sh\nexec /usr/local/lib/tart.app/Contents/MacOS/tart "$@"\n', 0o755);
  put(PROGRAM, machO('agent'), 0o755);
  put('/etc/tart-kubelet/kubeconfig', kubeconfig, 0o644);
  put('/etc/sudoers.d/m1', 'm1 ALL=(ALL) NOPASSWD: ALL\n', 0o440);
  put(LOG, '', 0o644);
  mac.files.chown(root, LOG, m1.uid, m1.gid);
  const job = {
    Label: LABEL,
    ProgramArguments: [PROGRAM, '--kubeconfig=/etc/tart-kubelet/kubeconfig', `--node-name=${name}`, ...flags],
    UserName: m1.name,
    KeepAlive: true,
    RunAtLoad: true,
    ThrottleInterval: 1,
    StandardOutPath: LOG,
    StandardErrorPath: LOG,
    EnvironmentVariables: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' },
  };
  put(`/Library/LaunchDaemons/${LABEL}.plist`, plist(job), 0o644);
}

/** Logs m1 in at the screen through auto-login. */
async function logIn(mac: BuiltMac): Promise<void> {
  loginWindowSettings(mac).loginTakes = milliseconds(50);
  mac.files.write(root, '/etc/kcpassword', encodePassword(PASSWORD), { mode: 0o600 });
  mac.files.write(root, '/Library/Preferences/com.apple.loginwindow.plist', plist({ autoLoginUser: m1.name }));
  await execute(mac, 'launchctl kickstart -k system/com.apple.loginwindow', { user: root });
  await eventually(() => hasAquaSession(mac, m1.uid), { what: 'the Aqua session' });
}
