import { launchctl } from '../launchd/launchctl.ts';
import type { Program, Run } from '../mac.ts';
import { agentLabel, readRunner, refusesRoot, scriptText, writeFile } from './runner-state.ts';

interface RunnerLaunchAgent {
  readonly name: string;
  readonly path: string;
}

/**
 * Simulates svc.sh of the Actions runner on macOS: a LaunchAgent, loaded with launchctl's legacy interface (I24; S3).
 */
export const svc: Program = async run => {
  if (refusesRoot(run)) return 1;
  const state = readRunner(run);
  if (!state) return failed(run, 'Must run from runner root or install is corrupt');
  const name = agentLabel(state);
  const agent = { name, path: `${run.user.home}/Library/LaunchAgents/${name}.plist` };
  switch (run.argv[1] ?? '') {
    case 'install':
      return install(run, agent);
    case 'start':
      return start(run, agent);
    case 'stop':
      return stop(run, agent);
    case 'status':
      return status(run, agent);
    case 'uninstall':
      return uninstall(run, agent);
    default:
      run.out('\nUsage:\n./svc.sh [install, start, stop, status, uninstall, run-test]\n\n');
      return 1;
  }
};

function install(run: Run, { name, path }: RunnerLaunchAgent): number {
  const { files } = run.mac;
  run.out(`Creating launch runner in ${path}\n`);
  if (files.exists(run.user, path)) return failed(run, `error: exists ${path}`);
  const logs = `${run.user.home}/Library/Logs/${name}`;
  run.out(`Creating ${logs}\nCreating ${path}\nCreating runsvc.sh\nCreating .service\n`);
  files.makeDirectory(run.user, logs, { parents: true });
  files.makeDirectory(run.user, `${run.user.home}/Library/LaunchAgents`, { parents: true });
  files.write(run.user, path, agentText(run, name, logs));
  writeFile(run, 'runsvc.sh', scriptText('runsvc.sh'), 0o755);
  writeFile(run, '.service', `${path}\n`);
  run.out('svc install complete\n');
  return 0;
}

async function start(run: Run, agent: RunnerLaunchAgent): Promise<number> {
  run.out(`starting ${agent.name}\n`);
  if ((await legacy(run, ['load', '-w', agent.path])) !== 0) return failed(run, `failed to load ${agent.path}`);
  return status(run, agent);
}

async function stop(run: Run, agent: RunnerLaunchAgent): Promise<number> {
  run.out(`stopping ${agent.name}\n`);
  if ((await legacy(run, ['unload', agent.path])) !== 0) return failed(run, `failed to unload ${agent.path}`);
  return status(run, agent);
}

/** Aborts if the stop fails. Over SSH nothing is removed, and the operator has to boot out the job. */
async function uninstall(run: Run, agent: RunnerLaunchAgent): Promise<number> {
  run.out(`uninstalling ${agent.name}\n`);
  const code = await stop(run, agent);
  if (code !== 0) return code;
  for (const path of [agent.path, `${run.directory}/.service`])
    if (run.mac.files.exists(run.user, path)) run.mac.files.remove(run.user, path);
  return 0;
}

async function status(run: Run, { name, path }: RunnerLaunchAgent): Promise<number> {
  run.out(`status ${name}:\n\n`);
  if (!run.mac.files.exists(run.user, path)) {
    run.out('not installed\n\n');
    return 0;
  }
  let listed = '';
  const quiet: Run = { ...run, out: text => (listed += String(text)) };
  await launchctl({ ...quiet, argv: ['launchctl', 'list'] });
  const line = listed.split('\n').find(one => one.endsWith(name));
  run.out(`${path}\n\n${line === undefined ? 'Stopped' : `Started:\n${line}`}\n\n`);
  return 0;
}

const legacy = async (run: Run, words: readonly string[]): Promise<number> =>
  launchctl({ ...run, argv: ['launchctl', ...words] });

function failed(run: Run, message: string): number {
  run.err(`Failed: ${message}\n`);
  return 1;
}

const agentText = (run: Run, name: string, logs: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
  <dict>
    <key>Label</key>
    <string>${name}</string>
    <key>ProgramArguments</key>
    <array>
      <string>${run.directory}/runsvc.sh</string>
    </array>
    <key>UserName</key>
    <string>${run.user.name}</string>
    <key>WorkingDirectory</key>
    <string>${run.directory}</string>
    <key>RunAtLoad</key>
    <true/>
    <key>StandardOutPath</key>
    <string>${logs}/stdout.log</string>
    <key>StandardErrorPath</key>
    <string>${logs}/stderr.log</string>
    <key>EnvironmentVariables</key>
    <dict>
      <key>ACTIONS_RUNNER_SVC</key>
      <string>1</string>
    </dict>
    <key>ProcessType</key>
    <string>Interactive</string>
    <key>SessionCreate</key>
    <true/>
  </dict>
</plist>
`;
