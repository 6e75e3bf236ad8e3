import { machO } from '../mac/code-signing/mach-o.ts';
import { plist } from '../mac/testing/plist.ts';
import type { OldWay } from './old-way.ts';
import type { SceneMac } from './scene-mac.ts';

const LABEL = 'dev.tuist.tart-kubelet';
const BINARY = '/usr/local/bin/tart-kubelet';
const PLIST = `/Library/LaunchDaemons/${LABEL}.plist`;

const jobPlist = (...flags: readonly string[]): string =>
  plist({
    Label: LABEL,
    ProgramArguments: [BINARY, ...flags],
    RunAtLoad: true,
    KeepAlive: true,
    ThrottleInterval: 10,
    UserName: 'm1',
  });

/** A host whose agent runs, as an earlier bootstrap left it. */
async function host(scene: { mac(): Promise<SceneMac> }): Promise<SceneMac> {
  const mac = await scene.mac();
  await mac.run('sudo mkdir -p /usr/local/bin');
  mac.write(BINARY, machO('version 1'), 0o755);
  mac.write(PLIST, jobPlist());
  await mac.run(`sudo launchctl bootstrap system ${PLIST}`);
  await mac.pass(2);
  return mac;
}

const RELOAD = `sudo launchctl bootout system/${LABEL}
sudo launchctl bootstrap system ${PLIST}`;

async function jobState(mac: SceneMac): Promise<string> {
  const { out, err } = await mac.run(`sudo launchctl print system/${LABEL}`);
  const lines = out.split('\n').filter(line => /^\t(state|pid|last exit|runs)/.test(line));
  return lines.length > 0 ? lines.map(line => line.trim()).join(', ') : err.trim();
}

export const agentIncidents: readonly OldWay[] = [
  {
    id: 'I17',
    title: 'bootout and bootstrap on every roll, until macOS no longer restarts the agent',
    did: 'rolled a dozen times with bootout + bootstrap, then the agent exited once',
    seen: /state = (not running|exited)(?!.*pid)/,
    async run(scene) {
      const mac = await host(scene);
      for (let roll = 0; roll < 12; roll++) {
        await mac.run(`sudo launchctl bootout system/${LABEL}`);
        await mac.pass(5);
        await mac.run(`sudo launchctl bootstrap system ${PLIST}`);
        await mac.pass(5);
      }
      await mac.run('sudo killall -TERM tart-kubelet');
      await mac.pass(300);
      return `five minutes after it exited: ${await jobState(mac)}`;
    },
  },
  {
    id: 'I18',
    title: 'a roll is recorded as done though the process never restarted',
    did: 'ran bootout and bootstrap back to back and took the shell’s exit status for the roll’s',
    seen: /exit status 0.*(Could not find service|not running)/s,
    async run(scene) {
      const mac = await host(scene);
      mac.write(PLIST, jobPlist('--disable-vm-gc'));
      const { code } = await mac.run(`${RELOAD}\nexit 0`);
      await mac.pass(60);
      return `roll: exit status ${code}; a minute later: ${await jobState(mac)}`;
    },
  },
  {
    id: 'I19',
    title: 'the agent’s binary is overwritten in place',
    did: 'piped the new binary into the old file with tee and restarted the job',
    seen: /OS_REASON_CODESIGNING/,
    async run(scene) {
      const mac = await host(scene);
      await mac.run(`sudo tee ${BINARY} >/dev/null`, { stdin: machO('version 2') });
      await mac.run(`sudo launchctl kickstart -k system/${LABEL}`);
      await mac.pass(5);
      return jobState(mac);
    },
  },
];
