import { type Duration, pause, seconds } from '@minifleet/clock';
import { closeGuiDomain, openGuiDomain } from '../launchd/domains.ts';
import { type JobProgram, jobProgramsOf } from '../launchd/job-program.ts';
import { launchdOf } from '../launchd/launchd.ts';
import type { Mac } from '../mac.ts';
import type { MacPart } from '../mac-part.ts';
import type { Process } from '../processes/process-table.ts';
import { pwpolicy } from '../unix/sudo/pwpolicy.ts';
import { autoLogin } from './auto-login.ts';

export interface LoginWindowSettings {
  /** Without one, the login window that starts at boot ignores auto-login; one that is kicked later honours it (facts §3.3). */
  display: boolean;
  /** From its start to the session (derived). */
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

/** Whether the person is logged in at the screen: what Virtualization.framework asks for before it starts a guest. */
export const hasAquaSession = (mac: Mac, uid: number): boolean => launchdOf(mac).guiDomains.has(uid);

/** The login window as a job of launchd. Its end, however it comes, ends the session and all that runs in it. */
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
