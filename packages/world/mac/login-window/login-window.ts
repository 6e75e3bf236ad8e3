import { type Duration, pause, seconds } from '@minifleet/clock';
import { type JobProgram, jobProgramsOf } from '../launchd/job-program.ts';
import { closeGuiDomain, launchdOf, openGuiDomain } from '../launchd/launchd.ts';
import { type Mac, type MacPart, m1, root, type User } from '../mac.ts';

import type { Process } from '../processes/process-table.ts';
import { readPreferences } from '../unix/preferences/defaults.ts';
import { currentPassword, pwpolicy } from '../unix/sudo/password.ts';

import { decodePassword, encodePassword, SEALED } from './kcpassword.ts';

interface LoginWindowSettings {
  /**
   * Without a display, the login window that starts at boot ignores auto-login; one that is restarted later honours it
   * (facts §3.3).
   */
  display: boolean;
  /** Time from its start to the session (derived). */
  loginTakes: Duration;
}

interface LoginWindow {
  readonly settings: LoginWindowSettings;
  startsSinceBoot: number;
}

const KEY = Symbol('login window');
const PROGRAM = '/System/Library/CoreServices/loginwindow.app/Contents/MacOS/loginwindow';

const loginWindowOf = (mac: Mac): LoginWindow =>
  mac.state(KEY, () => ({ settings: { display: false, loginTakes: seconds(2) }, startsSinceBoot: 0 }));

export const loginWindowSettings = (mac: Mac): LoginWindowSettings => loginWindowOf(mac).settings;

/** Returns true if the user is logged in at the screen, which Virtualization.framework requires to start a guest. */
export const hasAquaSession = (mac: Mac, uid: number): boolean => launchdOf(mac).guiDomains.has(uid);

/** The login window as a job of launchd. Its exit, for whatever reason, ends the session and everything in it. */
export const loginWindowPart: MacPart = mac => {
  jobProgramsOf(mac).set(PROGRAM, loginWindow);
  mac.onShutDown(() => {
    loginWindowOf(mac).startsSinceBoot = 0;
  });
  return { programs: { '/usr/bin/pwpolicy': pwpolicy } };
};

const loginWindow: JobProgram = {
  builtIn: true,
  async body({ mac }, process) {
    const state = loginWindowOf(mac);
    state.startsSinceBoot += 1;
    const ignores = state.startsSinceBoot === 1 && !state.settings.display;
    await pause(mac.around.clock, state.settings.loginTakes, process.signal);
    const user = ignores || process.signal.aborted ? undefined : autoLogin(mac);
    if (user) openGuiDomain(mac, user, process.pid);
    await untilOver(process);
    if (user && launchdOf(mac).guiDomains.get(user.uid)?.creator === process.pid) closeGuiDomain(mac, user.uid);
    return 0;
  },
};

const untilOver = (process: Process): Promise<unknown> => process.exited;

const PASSWORD_FILE = '/etc/kcpassword';
const PREFERENCES = '/Library/Preferences/com.apple.loginwindow';

/**
 * Returns the user to log in according to the files on disk. The login window does not prompt for a wrong password: it
 * overwrites the file with the encoded `<sealed>`, logs no user in, and reports nothing else (I06, I07; S0).
 */
function autoLogin(mac: Mac): User | undefined {
  const place = `mac/${mac.options.name}`;
  const name = autoLoginUser(mac);
  if (name === undefined || !mac.files.exists(root, PASSWORD_FILE)) return undefined;
  const password = decodePassword(mac.files.read(root, PASSWORD_FILE));
  if (name === m1.name && password === currentPassword(mac)) return m1;
  mac.files.write(root, PASSWORD_FILE, encodePassword(SEALED));
  mac.around.journal.add(place, 'auto-login refused', name);
  return undefined;
}

function autoLoginUser(mac: Mac): string | undefined {
  const name = readPreferences(mac, root, PREFERENCES)['autoLoginUser'];
  return typeof name === 'string' ? name : undefined;
}
