import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADDRESS, type FreshMac, freshMac } from '@minifleet/cli/testing/fresh-mac';
import { terminalScreen } from '@minifleet/cli/testing/terminal';
import { milliseconds } from '@minifleet/clock';
import { execute, m1, macParts, processesOf, root, tartArchive, tartPart } from '@minifleet/world/mac';

const WIDTH = 110;
const TRUST = '--accept-new-host-key';

/** Records the terminal output of the program by file name. The clock is simulated, so all durations are stable. */
export async function recordScreens(): Promise<ReadonlyMap<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), 'minifleet-screens-'));
  try {
    return new Map([['prepare-fleet-host.txt', await recordPreparing()], ...(await recordRepair(directory))]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Records prepare-fleet-host on a newly delivered Mac. */
async function recordPreparing(): Promise<string> {
  using mac = freshMac();
  addLatency(mac);
  const screen = terminalScreen(WIDTH);
  const prompts = { password: async () => 'correct horse', confirm: async () => true };
  const argv = ['prepare-fleet-host', ADDRESS, '-i', join(mac.folder, 'key'), TRUST];
  await mac.runWith({ output: screen, prompts }, ...argv);
  return `$ minifleet prepare-fleet-host ${ADDRESS}\n◇  Password of m1 on 203.0.113.7\n\n${screen.text()}`;
}

/** Records plan and converge on a host with drift and a newer desired version. */
async function recordRepair(directory: string): Promise<[string, string][]> {
  using mac = freshMac({ parts: [tartPart(directory), ...macParts] });
  mac.put('password', 'correct horse\n');
  const specFile = (tart: string, more = ''): string => {
    const path = mac.put(`tart-${tart}.tar.gz`, tartArchive(tart));
    return mac.put(
      'mini-01.yaml',
      `fleet:\n  tart: { version: ${tart}, archive: ${path} }\n${more}host: { name: mini-01, passwordFile: password }\n`,
    );
  };
  const targetOptions = (file: string): string[] => [ADDRESS, '-i', join(mac.folder, 'key'), TRUST, '-f', file];
  await mac.run('host', 'converge', ...targetOptions(specFile('2.32.1', '  localNetwork: false\n')));
  startGuest(mac);
  addLatency(mac);
  const file = specFile('2.33.0');
  const shown: [string, string][] = [];
  for (const command of ['plan', 'converge']) {
    const screen = terminalScreen(WIDTH);
    await causeDrift(mac); // before each command, because the launchd job reloads the rules by itself
    await mac.runWith({ output: screen }, 'host', command, ...targetOptions(file));
    shown.push([`${command}.txt`, `$ minifleet host ${command} ${ADDRESS} -f mini-01.yaml\n${screen.text()}`]);
  }
  return shown;
}

/** Flushes the rules by hand and resets a setting, as an update does. */
const causeDrift = ({ mac }: FreshMac): Promise<unknown> =>
  execute(mac, 'pfctl -a com.apple/tuist.runners -F rules && pmset -a sleep 10', { user: root });

function startGuest({ mac }: FreshMac): void {
  const argv = ['/usr/local/lib/tart.app/Contents/MacOS/tart', 'run', 'pod-1-0', '--no-graphics'];
  processesOf(mac).start({ argv, user: m1, session: 'launchd' });
}

/** Adds the latency of a host in another country. */
const addLatency = ({ faults }: FreshMac): void =>
  faults.add({ kind: 'command', fault: { type: 'delay', by: milliseconds(40) } });
