import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { type CommandShape, flag, option, type TartArguments } from '../command-line/parse-arguments.ts';
import { type Guest, type GuestEnd, startGuest } from '../guest/guest.ts';
import { parseShares, type Share } from '../guest/guest-files.ts';
import { takePlace } from '../guest/lease-file.ts';
import { announceVnc } from '../guest/screen/serve-screen.ts';
import { behaviourOf } from '../host/host-file.ts';
import { type Bundle, complete, markAccess, readConfig, readFacts, writeConfig } from '../storage/bundle.ts';
import { listLocal, localBundle, openHome, ownerOf, stateOf } from '../storage/local-vms.ts';
import { holding, type Lock, tryLock } from '../storage/lock.ts';
import { randomMac, softwareOn } from '../storage/vm-config.ts';
import { doesNotExist, missingFiles, type TartCall, TartFailure, TartUsageFailure } from '../tart-call.ts';
import { first, type TartCommand, VM_NAME } from './tart-command.ts';

const runShape: CommandShape = {
  name: 'run',
  about: 'Run a VM',
  positional: [VM_NAME],
  options: [
    flag('no-graphics'),
    flag('graphics'),
    flag('serial'),
    option('serial-path'),
    flag('no-audio'),
    flag('no-clipboard'),
    flag('recovery'),
    flag('vnc'),
    flag('vnc-experimental'),
    option('disk', { value: 'path[:options]', repeated: true }),
    option('rosetta', { value: 'tag' }),
    option('dir', { value: '[name:]path[:options]', repeated: true }),
    flag('nested'),
    option('net-bridged', { value: 'interface name', repeated: true }),
    flag('net-softnet'),
    option('net-softnet-allow', { value: 'comma-separated CIDRs' }),
    option('net-softnet-block', { value: 'comma-separated CIDRs' }),
    option('net-softnet-expose', { value: 'comma-separated port specifications' }),
    flag('net-host'),
    option('root-disk-opts', { value: 'options' }),
    flag('suspendable'),
    flag('capture-system-keys'),
    flag('no-trackpad'),
    flag('no-pointer'),
    flag('no-keyboard'),
  ],
};

/** Accepted without effect: the guest does not see these devices. */
const WITHOUT_EFFECT = ['disk', 'rosetta', 'nested', 'serial', 'serial-path', 'recovery', 'net-bridged', 'net-host'];
const SOFTNET = ['net-softnet', 'net-softnet-allow', 'net-softnet-block', 'net-softnet-expose'];

const unmodelledIn = (given: TartArguments): string[] =>
  [...WITHOUT_EFFECT, ...SOFTNET].filter(name => given.has(name));

/** Mutually exclusive options exit with 64 (facts 10.6). */
function checkRunArguments(given: TartArguments): void {
  const networks = [given.has('net-bridged'), SOFTNET.some(name => given.has(name)), given.has('net-host')];
  const headless = given.has('no-graphics') || given.has('vnc') || given.has('vnc-experimental');
  const rules: readonly (readonly [boolean, string])[] = [
    [given.has('vnc') && given.has('vnc-experimental'), '--vnc and --vnc-experimental are mutually exclusive'],
    [networks.filter(Boolean).length > 1, '--net-bridged, --net-softnet and --net-host are mutually exclusive'],
    [given.has('graphics') && given.has('no-graphics'), '--graphics and --no-graphics are mutually exclusive'],
    [given.has('capture-system-keys') && headless, '--captures-system-keys can only be used with the default VM view'],
  ];
  const broken = rules.find(([applies]) => applies);
  if (broken) throw new TartUsageFailure(broken[1]);
}

interface VmRun {
  readonly call: TartCall;
  readonly name: string;
  readonly bundle: Bundle;
  readonly shares: readonly Share[];
  readonly suspendable: boolean;
}

/** The order of facts 10.6: open, home lock, MAC check, VM lock, start, VNC, control socket, wait. */
export const run: TartCommand = {
  shape: runShape,
  async run(call, given) {
    checkRunArguments(given);
    for (const name of unmodelledIn(given)) call.around.journal.unmodelled('tart', `run --${name}`);
    const name = first(given);
    const bundle = validBundle(call, name);
    const shares = parseShares(given.all('dir'), call.environment['HOME'] ?? '/');
    await holding(call, openHome(call.home).lock, () => lockVm(call, name, bundle));
    const running = { call, name, bundle, shares, suspendable: given.has('suspendable') };
    await takePlace(call, { name, bundle });
    const guest = boot(running);
    const end = untilTheEnd(running, guest);
    await announceVnc(call, given, name);
    await openSocket(running, guest);
    return end;
  },
};

/** Checked during argument validation, hence the prefix and exit code 1 (facts 10.2, derived). */
function validBundle(call: TartCall, name: string): Bundle {
  const bundle = localBundle(call, name);
  const failure = existsSync(bundle.directory) ? missingFiles() : doesNotExist(name);
  if (!complete(bundle)) throw new TartFailure(`Error: ${failure.message}`);
  markAccess(bundle, call.around.clock.now());
  return bundle;
}

function lockVm(call: TartCall, name: string, bundle: Bundle): Lock {
  const config = readConfig(bundle);
  const double = listLocal(call).some(
    other =>
      other.name !== name &&
      stateOf(call, other) === 'running' &&
      readConfig(other.bundle).macAddress === config.macAddress,
  );
  if (double) {
    call.out('There is already a running VM with the same MAC address!');
    call.out('Resetting VM to assign a new MAC address...');
    writeConfig(bundle, { ...config, macAddress: randomMac(call.around.chance) });
  }
  const lock = tryLock(bundle.lock);
  if (!lock) throw new TartFailure(`VM "${name}" is already running!`, 2);
  writeFileSync(bundle.owner, `${call.process.pid}`);
  return lock;
}

function boot({ call, name, bundle, shares }: VmRun): Guest {
  if (existsSync(bundle.snapshot)) {
    call.out('restoring VM state from a snapshot...');
    rmSync(bundle.snapshot);
    call.out('resuming VM...');
  }
  call.around.journal.add(`guest/${name}`, 'started', shares.map(share => share.path).join(' '));
  const { image } = readFacts(bundle);
  return startGuest({
    call,
    name,
    root: bundle.guest,
    mac: readConfig(bundle).macAddress,
    shares,
    software: softwareOn(bundle.disk),
    behaviour: () => behaviourOf(call.host(), name, image),
  });
}

async function openSocket({ call, name, bundle }: VmRun, guest: Guest): Promise<void> {
  const { image } = readFacts(bundle);
  const { openControlSocket } = await import('../guest/control-socket.ts');
  try {
    const hanging = (): boolean => behaviourOf(call.host(), name, image).hangs === true;
    await openControlSocket({ call, bundle, guest, hanging });
  } catch (error) {
    // Up to 2.32, a socket that cannot be bound does not fail the run (facts 10.9).
    call.err(`failed to start the control socket: ${(error as Error).message}`);
  }
}

/** Once the VM has started, the exit code is 0 whatever ends it, including a crash. */
async function untilTheEnd(running: VmRun, guest: Guest): Promise<number> {
  const { call, name, bundle } = running;
  const { promise: stopRequest, resolve: requestStop } = Promise.withResolvers<'stop' | 'suspend'>();
  listenToSignals(running, requestStop);
  const end = await Promise.race([guest.ended, stopRequest]);
  if (typeof end !== 'string') call.out(wordsFor(end));
  const code = typeof end === 'string' ? onSignal(running, end) : 0;
  guest.powerOff();
  call.around.journal.add(`guest/${name}`, 'ended', typeof end === 'string' ? end : end.type);
  // A clone may have replaced this VM in the meantime.
  if (ownerOf(bundle) === call.process.pid) {
    rmSync(bundle.socket, { force: true });
    rmSync(bundle.owner, { force: true });
  }
  return code;
}

function listenToSignals({ call, name, bundle }: VmRun, requestStop: (what: 'stop' | 'suspend') => void): void {
  const { image } = readFacts(bundle);
  const behaviour = () => behaviourOf(call.host(), name, image);
  call.process.onSignal('SIGINT', () => behaviour().ignoresStop || requestStop('stop'));
  call.process.onSignal('SIGUSR1', () => requestStop('suspend'));
  // The power button: macOS shows a dialog, which no user can answer.
  call.process.onSignal('SIGUSR2', () => call.around.journal.add(`guest/${name}`, 'power button pressed', ''));
}

function onSignal({ call, bundle, suspendable }: VmRun, what: 'stop' | 'suspend'): number {
  if (what === 'stop') {
    call.out('Stopping VM...');
    return 0;
  }
  if (!suspendable) {
    // Saving is refused for a VM that was not configured for it (derived).
    call.err('Error: Error Domain=VZErrorDomain Code=1 "Save and restore is not supported by this configuration."');
    return 1;
  }
  call.out('pausing VM to take a snapshot...');
  call.out('creating a snapshot...');
  writeFileSync(bundle.snapshot, 'snapshot');
  call.out('snapshot created successfully! shutting down the VM...');
  return 0;
}

function wordsFor(end: GuestEnd): string {
  switch (end.type) {
    case 'halt':
      return 'guest has stopped the virtual machine';
    case 'crash':
      return `guest has stopped the virtual machine due to error: ${end.text}`;
    case 'network':
      return `virtual machine's network attachment VZNATNetworkDeviceAttachment has been disconnected with error: ${end.text}`;
    default:
      return end satisfies never;
  }
}
