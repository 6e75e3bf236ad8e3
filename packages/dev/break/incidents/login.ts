import { changePassword, encodePassword, root } from '@minifleet/world/mac';
import { FLEETS } from '../../up/fleets/share-hosts.ts';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { givePassword } from '../scenes/host-secret.ts';
import { requireHurt } from '../scenes/old-way.ts';
import { orPutBack } from '../scenes/or-put-back.ts';
import { conditionOf, toldOfHost } from '../scenes/told.ts';
import type { Stage } from '../stage.ts';

const PASSWORD_FILE = '/etc/kcpassword';
const SEALED = encodePassword('<sealed>').toString('hex');

/** Waits, for some seconds at most, until the login window has refused what is in the file; nobody is logged in then. */
const KICK = `launchctl kickstart -k system/com.apple.loginwindow
left=20
until [ "$(xxd -p ${PASSWORD_FILE})" = ${SEALED} ] || [ $left -eq 0 ]; do sleep 0.5; left=$((left - 1)); done
xxd -p ${PASSWORD_FILE}`;

const requireSealed = (stage: Stage, id: string, { out }: { readonly out: string }): void =>
  requireHurt(stage, { id, seen: new RegExp(SEALED) }, out);

const hasSession = async ({ run }: Stage): Promise<boolean> =>
  (await run('launchctl print gui/501')).out.includes('session = Aqua');

/** What happened to the login at the screen, without which no VM starts. */
export const loginBreakages: readonly Breakage[] = [
  {
    id: 'I06',
    title: 'the password for auto-login is not the account’s any more, and the login window seals it',
    fleets: FLEETS,
    promise: 'the Node says that there is no session and why, and the machine that the password is wrong',
    within: HEALED_WITHIN,
    async strike(stage) {
      const password = `changed at ${stage.since}`;
      changePassword(stage.mac(), password);
      const tidy = () => givePassword(stage, password);
      await orPutBack(tidy, async () => requireSealed(stage, 'I06', await stage.run(KICK)));
      return {
        did: 'changed the account’s password on the Mac, which nobody told the Secret, and restarted the login window',
        async look() {
          const session = conditionOf(await stage.node(), 'GUISessionReady');
          const told = await toldOfHost(stage);
          if (session?.status !== 'False' || session.reason !== 'PasswordSealed') return undefined;
          return told?.startsWith('StepFailed') && told.includes('password')
            ? { named: `${session.reason}: ${session.message}; ${told}` }
            : undefined;
        },
        tidy,
      };
    },
  },
  {
    id: 'I07',
    title: 'somebody prepares the host by hand and mistypes the password',
    fleets: FLEETS,
    promise: 'the right password is there again, and somebody logged in',
    within: HEALED_WITHIN,
    async strike(stage) {
      const before = stage.mac().files.read(root, PASSWORD_FILE);
      const mistyped = encodePassword('corect horse').toString('base64');
      const script = `printf '%s' '${mistyped}' | base64 -D | tee ${PASSWORD_FILE} >/dev/null\n${KICK}`;
      requireSealed(stage, 'I07', await stage.run(script));
      return {
        did: `wrote a mistyped password into ${PASSWORD_FILE}, as the script did, and restarted the login window`,
        async look() {
          const right = stage.mac().files.read(root, PASSWORD_FILE).equals(before);
          return right && (await hasSession(stage)) && (await stage.isWell())
            ? { healed: 'the right password is kept again, and m1 is logged in at the screen' }
            : undefined;
        },
      };
    },
  },
  {
    id: 'I08',
    title: 'the login window is gone after SIGHUP',
    fleets: FLEETS,
    promise: 'it is started through launchd, and somebody is logged in',
    within: HEALED_WITHIN,
    async strike(stage) {
      const { out, err } = await stage.run('killall -HUP loginwindow; sleep 1; killall -HUP loginwindow');
      requireHurt(stage, { id: 'I08', seen: /No matching processes/ }, `${out}${err}`);
      return {
        did: 'sent SIGHUP to the login window, and launchd does not bring it back',
        async look() {
          const { out: window } = await stage.run('launchctl print system/com.apple.loginwindow');
          const pid = /^\tpid = (\d+)$/m.exec(window)?.[1];
          return pid !== undefined && (await hasSession(stage)) && (await stage.isWell())
            ? { healed: `the login window runs again, pid ${pid}, and m1 is logged in at the screen` }
            : undefined;
        },
      };
    },
  },
];
