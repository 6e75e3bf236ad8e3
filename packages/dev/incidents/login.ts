import { isSealed, Secret } from '@minifleet/host';
import { autoLogin, planStep, sudo } from '@minifleet/host/testing';
import { secrets } from '@minifleet/kube';
import { changePassword, encodePassword, root } from '@minifleet/world/mac';
import { FLEETS } from '../up/fleets/share-hosts.ts';
import type { FaultTarget } from './fault-target.ts';
import { conditionOf, hostFailure } from './fixtures/host-condition.ts';
import { orRevert, requireEffect } from './fixtures/preconditions.ts';
import { type Incident, REPAIRED_WITHIN } from './incident.ts';
import type { MacShell } from './old-way-env.ts';
import { convergeAll, type OurWayEnv } from './our-way-env.ts';

const PASSWORD_FILE = '/etc/kcpassword';
const PASSWORD = 'correct horse';
const SEALED = encodePassword('<sealed>').toString('hex');
const RESTART_LOGIN_WINDOW = 'launchctl kickstart -k system/com.apple.loginwindow';

/** The operators' auto-login step. It reports success without reading the file again. */
const configureAutoLogin = (password: string): string => `set -euo pipefail
printf '%s' '${encodePassword(password).toString('base64')}' | base64 -D | sudo tee ${PASSWORD_FILE} >/dev/null
sudo chmod 600 ${PASSWORD_FILE}
sudo defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1
sudo ${RESTART_LOGIN_WINDOW}`;

/** `kcpassword is kept, an Aqua session`. */
async function describeLogin(mac: MacShell): Promise<string> {
  const password = isSealed(mac.read(PASSWORD_FILE)) ? 'kcpassword is <sealed>' : 'kcpassword is kept';
  const { out } = await mac.run('sudo launchctl print gui/501 || true');
  return `${password}, ${/session = Aqua/.test(out) ? 'an Aqua session' : 'no Aqua session'}`;
}

const login = (password: string) => planStep(autoLogin, { user: 'm1', password: new Secret('password', password) });
const grant = (password: string) => planStep(sudo, { user: 'm1', password: new Secret('password', password) });

/** State that must not change when a password is rejected. */
async function readState({ mac }: OurWayEnv): Promise<string> {
  const { out } = await mac.run(`ls -ldn ${PASSWORD_FILE} /etc/sudoers.d/m1-nopasswd && launchctl managername`);
  return `${out}${mac.read(PASSWORD_FILE).toString('hex')}`;
}

async function convergeLogin(env: OurWayEnv): Promise<string> {
  const { notes } = await env.converge(login(PASSWORD));
  const restarted = notes.find(note => note.includes('login window')) ?? 'did not restart the login window';
  return `${restarted}, ${(await describeLogin(env.mac)).split(', ')[1]}`;
}

/** Restarts the login window and waits up to 10 s until it has rejected the password in the file. Then no user is logged in. */
const RESTART_UNTIL_SEALED = `${RESTART_LOGIN_WINDOW}
left=20
until [ "$(xxd -p ${PASSWORD_FILE})" = ${SEALED} ] || [ $left -eq 0 ]; do sleep 0.5; left=$((left - 1)); done
xxd -p ${PASSWORD_FILE}`;

const requireSealed = (target: FaultTarget, id: string, { out }: { readonly out: string }): void =>
  requireEffect(target, id, new RegExp(SEALED), out);

const hasSession = async ({ run }: FaultTarget): Promise<boolean> =>
  (await run('launchctl print gui/501')).out.includes('session = Aqua');

/** Writes a password to the Secret with the credentials of the host, as an operator does after the failure is reported. */
async function writePassword({ client, serverId, namespace }: FaultTarget, password: string): Promise<void> {
  const data = { 'sudo-password': Buffer.from(password).toString('base64') };
  await client.patch(secrets, { namespace, name: `${serverId}-credentials` }, { type: 'merge', body: { data } });
}

/** Incidents with the Aqua login, without which no VM starts. */
export const loginIncidents: readonly Incident[] = [
  {
    id: 'I06',
    title: 'a wrong password is encoded for auto-login, and the bootstrap succeeds',
    oldWay: {
      procedure: 'wrote kcpassword from a stale Secret, restarted the login window, did not check the result',
      symptom: /exit status 0, then kcpassword is <sealed>, no Aqua session/,
      async run(env) {
        const mac = await env.mac();
        const { code } = await mac.run(configureAutoLogin('last weeks password'));
        await mac.pass(60);
        return `bootstrap: exit status ${code}, then ${await describeLogin(mac)}`;
      },
    },
    ourWay: {
      expected: 'the bootstrap fails and names the password as the cause',
      procedure:
        'checked the password before writing it, and inspected the host again after the login window restarted',
      result:
        /^HOST_PASSWORD_WRONG: .*the provided password for m1 is wrong.*; with the correct password: converged, kcpassword is kept, an Aqua session$/,
      async run(env) {
        await env.oldWay();
        const stale = await convergeAll(env, login('last weeks password'));
        const correct = await convergeAll(env, login(PASSWORD));
        return `${stale}; with the correct password: ${correct}, ${await describeLogin(env.mac)}`;
      },
    },
    live: {
      fault: 'the account password changes, and the login window seals the old one',
      fleets: FLEETS,
      expected: 'the Node reports the missing session with its cause, and the machine reports the wrong password',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const password = `changed at ${target.since}`;
        changePassword(target.mac(), password);
        const cleanUp = () => writePassword(target, password);
        await orRevert(cleanUp, async () => requireSealed(target, 'I06', await target.run(RESTART_UNTIL_SEALED)));
        return {
          action: 'changed the account password on the Mac but not in the Secret, and restarted the login window',
          async check() {
            const session = conditionOf(await target.node(), 'GUISessionReady');
            const failure = await hostFailure(target);
            if (session?.status !== 'False' || session.reason !== 'PasswordSealed') return undefined;
            return failure?.startsWith('StepFailed') && failure.includes('password')
              ? { reported: `${session.reason}: ${session.message}; ${failure}` }
              : undefined;
          },
          cleanUp,
        };
      },
    },
  },
  {
    id: 'I07',
    title: 'the prepare script accepts a mistyped password on a host that already has a sudoers file',
    oldWay: {
      procedure: 'skipped sudo because the sudoers file existed, wrote kcpassword from the mistyped password, exited 0',
      symptom: /exit status 0, then kcpassword is <sealed>/,
      async run(env) {
        const mac = await env.mac();
        const sudoersOnce = 'test -f /etc/sudoers.d/m1-nopasswd';
        const { code } = await mac.run(`${sudoersOnce} && ${configureAutoLogin('corect horse')}`);
        await mac.pass(60);
        return `prepare-fleet-host: exit status ${code}, then ${await describeLogin(mac)}`;
      },
    },
    ourWay: {
      expected: 'it exits non-zero, reports the wrong password, and does not change the host',
      procedure: 'checked the password although sudo needed none, on the repaired host',
      result:
        /^repaired: converged; HOST_PASSWORD_WRONG: .*nothing was written.*; host unchanged: kcpassword is kept, an Aqua session$/,
      async run(env) {
        await env.oldWay();
        const repaired = await convergeAll(env, grant(PASSWORD), login(PASSWORD));
        const before = await readState(env);
        const mistyped = await convergeAll(env, grant('corect horse'), login('corect horse'));
        const change = before === (await readState(env)) ? 'unchanged' : 'changed';
        return `repaired: ${repaired}; ${mistyped}; host ${change}: ${await describeLogin(env.mac)}`;
      },
    },
    live: {
      fault: 'an operator prepares the host by hand and mistypes the password',
      fleets: FLEETS,
      expected: 'the correct password is written again, and the user is logged in',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const before = target.mac().files.read(root, PASSWORD_FILE);
        const mistyped = encodePassword('corect horse').toString('base64');
        const write = `printf '%s' '${mistyped}' | base64 -D | tee ${PASSWORD_FILE} >/dev/null`;
        requireSealed(target, 'I07', await target.run(`${write}\n${RESTART_UNTIL_SEALED}`));
        return {
          action: `wrote a mistyped password into ${PASSWORD_FILE}, as the script did, and restarted the login window`,
          async check() {
            const restored = target.mac().files.read(root, PASSWORD_FILE).equals(before);
            return restored && (await hasSession(target)) && (await target.isReady())
              ? { repaired: `${PASSWORD_FILE} has the correct password, and m1 has an Aqua session` }
              : undefined;
          },
        };
      },
    },
  },
  {
    id: 'I08',
    title: 'the login window is gone after SIGHUP',
    oldWay: {
      procedure: 'sent SIGHUP to the login window twice, minutes apart',
      symptom: /No matching processes/,
      async run(env) {
        const mac = await env.mac();
        await mac.run('sudo killall -HUP loginwindow');
        await mac.pass(120);
        const { code, err } = await mac.run('sudo killall -HUP loginwindow');
        return `${err.trim()} (exit status ${code})`;
      },
    },
    ourWay: {
      expected: 'the login window is restarted through launchd, whether it runs or not',
      procedure: 'restarted it through launchd, which has the job whether it runs or not',
      result:
        /^dead: restarted the login window, an Aqua session; running: restarted the login window, an Aqua session$/,
      async run(env) {
        await env.oldWay();
        const dead = await convergeLogin(env);
        const fresh = await env.another();
        return `dead: ${dead}; running: ${await convergeLogin(fresh)}`;
      },
    },
    live: {
      fleets: FLEETS,
      expected: 'the login window is started through launchd, and the user is logged in',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const { out, err } = await target.run('killall -HUP loginwindow; sleep 1; killall -HUP loginwindow');
        requireEffect(target, 'I08', /No matching processes/, `${out}${err}`);
        return {
          action: 'sent SIGHUP to the login window, which launchd does not restart',
          async check() {
            const { out: job } = await target.run('launchctl print system/com.apple.loginwindow');
            const pid = /^\tpid = (\d+)$/m.exec(job)?.[1];
            return pid !== undefined && (await hasSession(target)) && (await target.isReady())
              ? { repaired: `the login window runs again, pid ${pid}, and m1 has an Aqua session` }
              : undefined;
          },
        };
      },
    },
  },
];
