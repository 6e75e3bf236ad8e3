import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../call.ts';
import { Failure } from '../failure.ts';
import { behaviourOf } from '../host/read-host-file.ts';
import { readConfig, readFacts } from '../storage/bundle.ts';
import { listLocal, type NamedBundle, stateOf } from '../storage/local-vms.ts';
import { tryLock } from '../storage/lock.ts';

const DEFAULT_LIMIT = 2;

/** Printed bare: the error is shown by `run` itself (seen in openai/tart issues 1067, 1132). */
const vzError = (code: number, text: string, failure = 'Internal Virtualization error.'): Failure =>
  new Failure(
    `Error Domain=VZErrorDomain Code=${code} "${text}" UserInfo={NSLocalizedFailure=${failure}, NSLocalizedFailureReason=${text}}`,
  );

/** What the Virtualization framework asks before a VM starts. The place is held until the process ends. */
export async function takePlace(call: Call, vm: NamedBundle): Promise<void> {
  const host = call.host();
  const behaviour = behaviourOf(host, vm.name, readFacts(vm.bundle).image);
  const config = readConfig(vm.bundle);
  if (config.os === 'darwin') {
    // macOS does not nest in macOS (S3, I30); the words are the framework's.
    if (call.environment['GUEST_ROOT'] !== undefined) {
      throw vzError(2, 'Virtualization is not available on this hardware.', 'Invalid virtual machine configuration.');
    }
    if (host.gui === false) throw vzError(-9, 'Failed to create new HostKey');
    if (host.keychainLocked) throw vzError(1, 'The virtual machine failed to start.');
    if (!takeSlot(call)) throw limitReached(call, vm.name);
  }
  if (behaviour.startFailure === 'failed to start') throw vzError(1, 'The virtual machine failed to start.');
  if (behaviour.startFailure === 'auxiliary storage') {
    throw vzError(2, 'Failed to lock auxiliary storage.', 'Invalid virtual machine configuration.');
  }
}

/** The kernel counts macOS guests of the whole host, whatever home they live in. Linux guests do not count. */
function takeSlot(call: Call): boolean {
  const { macosGuests = DEFAULT_LIMIT, foreignGuests = 0 } = call.host();
  const directory = join(call.worldDirectory, 'places');
  mkdirSync(directory, { recursive: true });
  for (let place = 0; place < macosGuests - foreignGuests; place++) {
    if (tryLock(join(directory, `${place}`))) return true;
  }
  return false;
}

function limitReached(call: Call, name: string): Failure {
  const others = listLocal(call)
    .filter(entry => entry.name !== name && stateOf(call, entry) === 'running')
    .map(entry => entry.name);
  const list = others.length === 0 ? '' : ` (other running VMs: ${others.join(', ')})`;
  return new Failure(`The number of VMs exceeds the system limit${list}`);
}
