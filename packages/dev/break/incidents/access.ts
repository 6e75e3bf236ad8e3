import { execute, m1, root } from '@minifleet/world/mac';
import { FLEETS } from '../../up/fleets/share-hosts.ts';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { requireHurt } from '../scenes/old-way.ts';
import { orPutBack } from '../scenes/or-put-back.ts';
import { staysTold } from '../scenes/stays-told.ts';
import { toldOfHost } from '../scenes/told.ts';
import { tryNow } from '../scenes/try-now.ts';
import type { Stage } from '../stage.ts';

const KEYS = '/Users/m1/.ssh/scw_authorized_keys';
const RULE = '/etc/sudoers.d/m1-nopasswd';
const LOCK = 'pwpolicy -u m1 -authentication-allowed';
const BROKEN_RULE = '/etc/sudoers.d/on-call';

/** What happened to the ways into a host and to its root's rights. */
export const accessBreakages: readonly Breakage[] = [
  {
    id: 'I14',
    title: 'the host refuses our key',
    fleets: FLEETS,
    promise: 'the machine says so and how to get in again; no password is sent instead',
    within: HEALED_WITHIN,
    async strike(stage) {
      const keys = stage.mac().files.read(root, KEYS);
      await stage.run(`: >${KEYS}`);
      return {
        did: `emptied ${KEYS}`,
        async look() {
          const told = await toldOfHost(stage);
          return told?.includes('refuses our SSH key') ? { named: told } : undefined;
        },
        tidy: async () => void (await stage.run(`tee ${KEYS} >/dev/null`, keys)),
      };
    },
  },
  {
    id: 'I32',
    title: 'a failure that needs a person, under a Node that is Ready',
    fleets: FLEETS,
    promise: 'the machine is not Ready, and stays so, however often the host is looked at',
    within: HEALED_WITHIN,
    async strike(stage) {
      await stage.run(`echo 'm1 ALL=(ALL NOPASSWD: ALL' >${BROKEN_RULE} && chmod 0440 ${BROKEN_RULE}`);
      const tidy = async () => void (await stage.run(`rm ${BROKEN_RULE}`));
      await orPutBack(tidy, async () => {
        const { err } = await execute(stage.mac(), 'sudo -n true', { user: m1 });
        requireHurt(stage, { id: 'I32', seen: /syntax error/ }, err);
      });
      return {
        did: `wrote a rule with a syntax error into ${BROKEN_RULE}, so that sudo runs nothing`,
        look: staysTold(stage),
        tidy,
      };
    },
  },
  {
    id: 'I34',
    title: 'a stale sudo password is tried again and again, and macOS locks the account',
    fleets: FLEETS,
    promise: 'the machine says that the account is locked, and not even the right password is tried',
    within: HEALED_WITHIN,
    async strike(stage) {
      for (let attempt = 0; attempt < 8; attempt++)
        await execute(stage.mac(), 'sudo -k -S -v', { user: m1, stdin: 'stale\n' });
      const tidy = async (): Promise<void> => {
        await stage.run('pwpolicy -u m1 -enableuser');
        await tryNow(stage, 'sudo');
      };
      await orPutBack(tidy, async () => {
        // Now root's rights take a password.
        await stage.run(`rm ${RULE}`);
        requireHurt(stage, { id: 'I34', seen: /is not allowed/ }, (await stage.run(LOCK)).out);
      });
      const tries = triesOf(stage);
      return {
        did: `tried a stale password until macOS locked the account, and removed ${RULE}`,
        async look() {
          const told = await toldOfHost(stage);
          return told?.includes('has locked m1') && triesOf(stage) === tries ? { named: told } : undefined;
        },
        tidy,
      };
    },
  },
];

/** Passwords that a locked account was tried with. */
const triesOf = ({ world, mac }: Stage): number =>
  world.around.journal.entries.filter(
    ({ place, what }) => what === 'account locked' && place === `mac/${mac().options.name}`,
  ).length;
