import type { Mac, Program, Run } from '../../mac.ts';
import { refuseForm } from '../getopt.ts';
import { findUser } from '../ownership.ts';
import { statOf } from '../paths.ts';
import { checkPassword } from '../sudo/password.ts';

interface DeveloperTools {
  directory: string | undefined;
  licensed: boolean;
}

const KEY = Symbol('developer tools');
const toolsOf = (mac: Mac): DeveloperTools => mac.state(KEY, () => ({ directory: undefined, licensed: false }));

const NO_TOOLS =
  'xcode-select: error: unable to get active developer directory, use `sudo xcode-select --switch path/to/Xcode.app` to set one (or see `man xcode-select`)\n';

export const xcodeSelect: Program = run => {
  const [, flag, path] = run.argv;
  const tools = toolsOf(run.mac);
  if (flag === '-p' || flag === '--print-path') {
    if (tools.directory) run.out(`${tools.directory}\n`);
    else run.err(NO_TOOLS);
    return tools.directory ? 0 : 2;
  }
  if ((flag === '-s' || flag === '--switch') && path !== undefined) {
    if (run.user.uid !== 0) {
      run.err(
        "xcode-select: error: --switch must be run as root (e.g. `sudo xcode-select --switch <xcode_folder_path>').\n",
      );
      return 1;
    }
    const directory = path.endsWith('.app') ? `${path}/Contents/Developer` : path;
    if (!statOf(run, directory)) {
      run.err(`xcode-select: error: invalid developer directory '${path}'\n`);
      return 1;
    }
    tools.directory = directory;
    return 0;
  }
  return refuseForm(run);
};

/**
 * `DEVELOPER_DIR` takes precedence over the selected directory. Undefined after printing an error about a missing one.
 */
function developerDirectory(run: Run): string | undefined {
  const given = run.environment['DEVELOPER_DIR'];
  if (given === undefined || statOf(run, given)) return given ?? toolsOf(run.mac).directory;
  run.err(`xcrun: error: missing DEVELOPER_DIR path: ${given}\n`);
  return undefined;
}

/** The shim in /usr/bin runs the xcodebuild of the developer directory; Command Line Tools have none. */
export const xcodebuild: Program = run => {
  const tools = toolsOf(run.mac);
  const [, flag, what] = run.argv;
  const directory = developerDirectory(run);
  if (!directory && run.environment['DEVELOPER_DIR'] !== undefined) return 1;
  if (!directory || !statOf(run, `${directory}/usr/bin/xcodebuild`)) {
    run.err(
      `xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer directory '${directory ?? '/Library/Developer/CommandLineTools'}' is a command line tools instance\n`,
    );
    return 1;
  }
  if (flag === '-version') {
    run.out('Xcode 26.3\nBuild version 17D52\n');
    return 0;
  }
  if (flag === '-license' && what === 'check') return tools.licensed ? 0 : 69;
  if (flag === '-license' && what === 'accept') {
    if (run.user.uid !== 0) return 1;
    tools.licensed = true;
    return 0;
  }
  return refuseForm(run);
};

export const xcrun: Program = run => {
  const [, flag, tool = ''] = run.argv;
  if (flag !== '--find' && flag !== '-f') return refuseForm(run);
  const directory = developerDirectory(run);
  if (!directory && run.environment['DEVELOPER_DIR'] !== undefined) return 1;
  const found = ['Toolchains/XcodeDefault.xctoolchain/usr/bin', 'usr/bin']
    .map(folder => `${directory}/${folder}/${tool}`)
    .find(path => directory !== undefined && statOf(run, path));
  if (found === undefined) {
    run.err(`xcrun: error: unable to find utility "${tool}", not a developer tool or in PATH\n`);
    return 72;
  }
  run.out(`${found}\n`);
  return 0;
};

/**
 * Without developer tools, it is a stub that requests their installation; over SSH the dialog is invisible (facts
 * host-bootstrap 10).
 */
export const python3: Program = run => {
  run.err(
    'xcode-select: note: No developer tools were found, requesting install.\nIf developer tools are located at a non-default location on disk, use `sudo xcode-select --switch path/to/Xcode.app` to specify the Xcode that you wish to use for command line developer tools, and cancel the installation dialog.\nSee `man xcode-select` for more details.\n',
  );
  return 1;
};

export const softwareupdate: Program = run => {
  if (run.argv[1] !== '--list' && run.argv[1] !== '-l') return refuseForm(run);
  run.out('Software Update Tool\n\nFinding available software\n');
  run.err('No new software available.\n');
  return 0;
};

/** dscl: `. -authonly`, which counts as a password attempt (I34), and `. -read /Users/… key`. */
export const dscl: Program = run => {
  const [, , action = '', subject = '', value = ''] = run.argv;
  if (/^-?authonly$/.test(action)) {
    const user = findUser(subject);
    if (user && checkPassword(run.mac, user, value)) return 0;
    run.err(
      'Authentication for node /Local/Default failed. (-14090, eDSAuthFailed)\n<dscl_cmd> DS Error: -14090 (eDSAuthFailed)\n',
    );
    return 90;
  }
  const name = /^\/Users\/([^/]+)$/.exec(subject)?.[1];
  return /^-?read$/.test(action) && name !== undefined ? readUser(run, name, value) : refuseForm(run);
};

function readUser(run: Run, name: string, key: string): number {
  const found = findUser(name);
  if (!found) {
    run.err('<dscl_cmd> DS Error: -14136 (eDSRecordNotFound)\n');
    return 56;
  }
  const values: Readonly<Record<string, string>> = {
    UniqueID: String(found.uid),
    PrimaryGroupID: String(found.gid),
    NFSHomeDirectory: found.home,
    UserShell: '/bin/zsh',
    RecordName: found.name,
  };
  if (key !== '' && !(key in values)) return refuseForm(run);
  for (const [attribute, text] of Object.entries(values))
    if (key === '' || key === attribute) run.out(`${attribute}: ${text}\n`);
  return 0;
}
