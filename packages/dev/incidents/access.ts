import { Secret } from '@minifleet/host';
import { planStep, sudo } from '@minifleet/host/testing';
import { execute, m1, root } from '@minifleet/world/mac';
import { FLEETS } from '../up/fleets/share-hosts.ts';
import type { FaultTarget } from './fault-target.ts';
import { checkFailurePersists, hostFailure } from './fixtures/host-condition.ts';
import { orRevert, requireEffect } from './fixtures/preconditions.ts';
import { retryStep } from './fixtures/retry-step.ts';
import { type Incident, REPAIRED_WITHIN } from './incident.ts';
import { convergeAll, countLeaks, journalSince, type OurWayEnv } from './our-way-env.ts';

const PASSWORD = 'correct horse';
const QUOTED = "don't tell";
const KEYS = '/Users/m1/.ssh/scw_authorized_keys';
const RULE = '/etc/sudoers.d/m1-nopasswd';
const READ_LOCK = 'pwpolicy -u m1 -authentication-allowed';
const BROKEN_RULE = '/etc/sudoers.d/on-call';

const grant = (password: string) => planStep(sudo, { user: 'm1', password: new Secret('password', password) });

const sudoAttempts = (env: OurWayEnv): number =>
  env.journal().filter(({ what, detail }) => what === 'command' && detail.includes('sudo -k -S')).length;

async function tryPassword(env: OurWayEnv, password: string): Promise<string> {
  const before = sudoAttempts(env);
  const outcome = await convergeAll(env, grant(password));
  const count = sudoAttempts(env) - before;
  return `${outcome}, ${count} ${count === 1 ? 'attempt' : 'attempts'}`;
}

/** Number of passwords tried on the locked account. */
const attemptsOnLocked = ({ world, mac }: FaultTarget): number =>
  world.deps.journal.entries.filter(
    ({ place, what }) => what === 'account locked' && place === `mac/${mac().options.name}`,
  ).length;

/** Incidents with SSH access and sudo. */
export const accessIncidents: readonly Incident[] = [
  {
    id: 'I14',
    title: 'a password in a remote command line breaks its quoting',
    oldWay: {
      procedure: 'quoted the password in the command that sshpass ran; the password contained a quote',
      symptom: /unmatched/,
      async run(env) {
        const mac = await env.mac({ passwordlessSudo: false, password: QUOTED });
        const { err } = await mac.run(`echo '${mac.password}' | sudo -S true`);
        return err;
      },
    },
    ourWay: {
      expected: 'only keys are used for SSH; a rejected key prints how to recover',
      procedure: 'logged in with the key and passed the password with its quote on standard input',
      mac: { passwordlessSudo: false, password: QUOTED },
      result: /^converged; the password is in 0 of [1-9]\d* traces$/,
      async run(env) {
        await env.oldWay();
        const before = env.journal().length;
        const outcome = await convergeAll(env, grant(QUOTED));
        return `${outcome}; the password is in ${countLeaks(QUOTED, [outcome, ...journalSince(env, before)])}`;
      },
    },
    live: {
      fault: 'the host rejects the fleet key',
      fleets: FLEETS,
      expected: 'the machine reports the rejection and how to restore access; no password is sent instead',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const keys = target.mac().files.read(root, KEYS);
        await target.run(`: >${KEYS}`);
        return {
          action: `emptied ${KEYS}`,
          async check() {
            const failure = await hostFailure(target);
            return failure?.includes('SSH key rejected') ? { reported: failure } : undefined;
          },
          cleanUp: async () => void (await target.run(`tee ${KEYS} >/dev/null`, keys)),
        };
      },
    },
  },
  {
    id: 'I32',
    title: 'a failure that needs an operator is overwritten by Ready',
    live: {
      fault: 'a failure that needs an operator, while the Node is Ready',
      fleets: FLEETS,
      expected: 'the machine is not Ready and stays so through every inspection of the host',
      within: REPAIRED_WITHIN,
      async inject(target) {
        await target.run(`echo 'm1 ALL=(ALL NOPASSWD: ALL' >${BROKEN_RULE} && chmod 0440 ${BROKEN_RULE}`);
        const cleanUp = async () => void (await target.run(`rm ${BROKEN_RULE}`));
        await orRevert(cleanUp, async () => {
          const { err } = await execute(target.mac(), 'sudo -n true', { user: m1 });
          requireEffect(target, 'I32', /syntax error/, err);
        });
        return {
          action: `wrote a rule with a syntax error to ${BROKEN_RULE}, so that sudo rejects every command`,
          check: checkFailurePersists(target),
          cleanUp,
        };
      },
    },
  },
  {
    id: 'I34',
    title: 'a stale sudo password is retried until the account is locked',
    oldWay: {
      procedure: 'piped the stored password to sudo -S on every retry of the bootstrap',
      symptom: /locked|correct password is rejected/,
      async run(env) {
        const mac = await env.mac({ passwordlessSudo: false });
        for (let attempt = 0; attempt < 8; attempt++) await mac.run('sudo -S true', { stdin: 'stale\nstale\nstale\n' });
        const { code, err } = await mac.run('sudo -S true', { stdin: `${mac.password}\n` });
        return code === 0 ? 'the correct password works' : `the correct password is rejected, too: ${err.trim()}`;
      },
    },
    ourWay: {
      expected: 'a password is never guessed: one attempt, then a reported wait',
      procedure: 'checked whether the account is locked before trying even the correct password',
      mac: { passwordlessSudo: false },
      result:
        /^while locked: HOST_ACCOUNT_LOCKED: .*retry in 15m.*, 0 attempts; then: converged, 1 attempt; a stale password: HOST_SUDO_PASSWORD_WRONG: .*, 1 attempt$/,
      async run(env) {
        await env.oldWay();
        const locked = await tryPassword(env, PASSWORD);
        await env.mac.run('sleep 900');
        const later = await tryPassword(env, PASSWORD);
        const fresh = await env.another();
        return `while locked: ${locked}; then: ${later}; a stale password: ${await tryPassword(fresh, 'stale')}`;
      },
    },
    live: {
      fault: 'a stale sudo password is retried, and macOS locks the account',
      fleets: FLEETS,
      expected: 'the machine reports the locked account, and not even the correct password is tried',
      within: REPAIRED_WITHIN,
      async inject(target) {
        for (let attempt = 0; attempt < 8; attempt++)
          await execute(target.mac(), 'sudo -k -S -v', { user: m1, stdin: 'stale\n' });
        const cleanUp = async (): Promise<void> => {
          await target.run('pwpolicy -u m1 -enableuser');
          await retryStep(target, 'sudo');
        };
        await orRevert(cleanUp, async () => {
          // Without the rule, sudo needs a password.
          await target.run(`rm ${RULE}`);
          requireEffect(target, 'I34', /is not allowed/, (await target.run(READ_LOCK)).out);
        });
        const attempts = attemptsOnLocked(target);
        return {
          action: `tried a stale password until macOS locked the account, and removed ${RULE}`,
          async check() {
            const failure = await hostFailure(target);
            return failure?.includes('macOS locked m1') && attemptsOnLocked(target) === attempts
              ? { reported: failure }
              : undefined;
          },
          cleanUp,
        };
      },
    },
  },
];
