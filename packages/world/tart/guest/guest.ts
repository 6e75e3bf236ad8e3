import { createWriteStream, existsSync, type FSWatcher, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { seconds, type Timer } from '@minifleet/clock';
import { installRunner } from '../../actions-runner/install-runner.ts';
import type { GuestBehaviour } from '../host/host-file.ts';
import { installTart } from '../install-tart.ts';
import type { TartCall } from '../tart-call.ts';
import type { ExecCommand, TerminalSize } from './agent-protocol.ts';
import { guestArgv, guestEnvironment, POWER_FILE, prepareGuestFiles, type Share } from './guest-files.ts';
import { type GuestProcess, startGuestProcess } from './guest-process.ts';
import { takeLease } from './lease-file.ts';

/** By the name before the slash; the part after it is the version. */
const INSTALLERS: Readonly<Record<string, (call: TartCall, root: string, version: string) => void>> = {
  'actions-runner'(_, root, version) {
    const folder = join(root, 'Users/admin/actions-runner');
    if (!existsSync(folder)) installRunner(folder, version);
  },
  // On the guest's PATH, and unable to start a VM, as in a real macOS VM (I30).
  tart: (call, root) => void installTart({ directory: join(root, 'usr/bin'), world: call.worldDirectory }),
};

/** Installs the software on the disk into the guest's file system. Changes of an earlier boot stay. */
function installSoftware(call: TartCall, root: string, software: readonly string[]): void {
  for (const name of software) {
    const [kind = '', version = ''] = name.split('/');
    const install = INSTALLERS[kind];
    if (install) install(call, root, version);
    else call.around.journal.unmodelled('tart', `software ${name}`);
  }
}

export type GuestEnd =
  | { readonly type: 'halt' }
  | { readonly type: 'crash'; readonly text: string }
  | { readonly type: 'network'; readonly text: string };

/** The guest of a virtual machine. */
export interface Guest {
  readonly ended: Promise<GuestEnd>;
  readonly address: string | undefined;
  /** True once the guest agent listens. */
  readonly agentUp: boolean;
  start(command: ExecCommand): GuestProcess;
  powerOff(): void;
}

interface GuestOptions {
  readonly call: TartCall;
  readonly name: string;
  readonly root: string;
  readonly mac: string;
  readonly shares: readonly Share[];
  /** Software on its disk besides macOS. */
  readonly software: readonly string[];
  behaviour(): GuestBehaviour;
}

const CRASH =
  'Error Domain=VZErrorDomain Code=1 "The virtual machine stopped unexpectedly." UserInfo={NSLocalizedFailure=Internal Virtualization error., NSLocalizedFailureReason=The virtual machine stopped unexpectedly.}';
const NETWORK_LOST = 'Error Domain=VZErrorDomain Code=1 "The network device attachment was disconnected."';

export function startGuest(options: GuestOptions): Guest {
  const guest = new RunningGuest(options);
  guest.boot();
  return guest;
}

class RunningGuest implements Guest {
  readonly ended: Promise<GuestEnd>;
  address: string | undefined;
  #agentUp = false;
  #off = false;
  readonly #options: GuestOptions;
  readonly #end: (end: GuestEnd) => void;
  readonly #processes = new Set<GuestProcess>();
  readonly #timers = new Set<Timer>();
  #watcher: FSWatcher | undefined;

  constructor(options: GuestOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<GuestEnd>();
    this.ended = promise;
    this.#end = resolve;
  }

  get agentUp(): boolean {
    return this.#agentUp && !this.#off;
  }

  boot(): void {
    const { call, root, shares, software } = this.#options;
    const behaviour = this.#options.behaviour();
    prepareGuestFiles(root, behaviour, shares);
    installSoftware(call, root, software);
    this.#watcher ??= this.#watchPower();
    this.#after(behaviour.haltsAfterSeconds, () => this.#end({ type: 'halt' }));
    this.#after(behaviour.crashesAfterSeconds, () => this.#end({ type: 'crash', text: behaviour.crash ?? CRASH }));
    this.#after(behaviour.losesNetworkAfterSeconds, () => this.#end({ type: 'network', text: NETWORK_LOST }));
    this.#after(behaviour.bootSeconds ?? 0, () => this.#onBooted(behaviour));
  }

  start(command: ExecCommand): GuestProcess {
    const tty = command.tty ? (command.terminalSize ?? { rows: 0, columns: 0 }) : undefined;
    return this.#launch([command.name, ...command.args], tty);
  }

  powerOff(): void {
    this.#off = true;
    this.#watcher?.close();
    this.#quiet();
  }

  #watchPower(): FSWatcher {
    const watcher = watch(this.#options.root, (_, file) => {
      if (file === POWER_FILE) this.#onPowerFile();
    });
    // The bundle may be removed while the guest runs.
    return watcher.on('error', () => undefined);
  }

  #onPowerFile(): void {
    const word = readPowerFile(this.#options.root);
    if (word === 'halt') this.#end({ type: 'halt' });
    if (word === 'restart') {
      this.#quiet();
      this.boot();
    }
  }

  #onBooted(behaviour: GuestBehaviour): void {
    this.#say('booted', '');
    this.#after(behaviour.addressAfterSeconds ?? 0, () => void this.#leaseAddress(behaviour));
    this.#after(behaviour.agentAfterSeconds ?? 0, () => {
      this.#agentUp = behaviour.agent !== 'missing';
    });
    const argv = behaviour.script === undefined ? behaviour.runs : ['/bin/sh', '-c', behaviour.script];
    if (argv) void this.#runProgram(argv, behaviour);
  }

  async #leaseAddress(behaviour: GuestBehaviour): Promise<void> {
    const { call, mac } = this.#options;
    this.address = await takeLease(call, { name: 'Managed-MacBook', mac, address: behaviour.address });
  }

  async #runProgram(argv: readonly string[], behaviour: GuestBehaviour): Promise<void> {
    const program = this.#launch(argv);
    program.stdin.end();
    const log = createWriteStream(join(this.#options.root, 'var/log/program.log'), { flags: 'a' });
    // The bundle may be replaced or deleted while the guest runs.
    log.on('error', () => undefined);
    program.stdout.pipe(log, { end: false });
    program.stderr.pipe(log, { end: false });
    const code = await program.exit;
    log.end();
    if (this.#off) return;
    this.#say('program ended', `${code}`);
    if (behaviour.afterwards === 'halt') this.#end({ type: 'halt' });
    if (behaviour.afterwards === 'crash') this.#end({ type: 'crash', text: behaviour.crash ?? CRASH });
  }

  #launch(argv: readonly string[], tty?: TerminalSize): GuestProcess {
    const { call, root } = this.#options;
    const hostPath = call.environment['PATH'] ?? '/usr/bin:/bin';
    const environment = guestEnvironment(root, { hostPath, speed: call.host().speed ?? 1 });
    const started = startGuestProcess({ argv: guestArgv(root, argv), directory: root, environment, tty });
    this.#processes.add(started);
    return started;
  }

  #after(delay: number | undefined, action: () => void): void {
    if (delay === undefined) return;
    this.#timers.add(this.#options.call.around.clock.after(seconds(delay), () => this.#off || action()));
  }

  #say(what: string, detail: string): void {
    this.#options.call.around.journal.add(`guest/${this.#options.name}`, what, detail);
  }

  #quiet(): void {
    for (const timer of this.#timers) timer.cancel();
    for (const started of this.#processes) started.powerOff();
    this.#timers.clear();
    this.#processes.clear();
    this.#agentUp = false;
  }
}

function readPowerFile(root: string): string {
  try {
    return readFileSync(join(root, POWER_FILE), 'utf8').trim();
  } catch {
    return '';
  }
}
