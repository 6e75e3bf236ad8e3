import { root } from '@minifleet/world/mac';
import { FLEETS } from '../../up/fleets/share-hosts.ts';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { awaitScene } from '../scenes/await-scene.ts';
import { requireHurt } from '../scenes/old-way.ts';
import type { Stage } from '../stage.ts';

const PROGRAM = '/usr/local/libexec/minifleet-rotate-logs';
const FOLDER = '/usr/local/bin';
const LEDGER = '/var/db/minifleet/ledger.json';

/** What happened to files of ours. */
export const fileBreakages: readonly Breakage[] = [
  {
    id: 'I33',
    title: 'a file of ours is edited by hand, and every record still says that the host is current',
    fleets: FLEETS,
    promise: 'it is found by looking at the host, and written anew',
    within: HEALED_WITHIN,
    async strike(stage) {
      // A repair that still goes on would find it by chance.
      await awaitScene(stage, 'all records say that it is current', () => isRecordedCurrent(stage));
      const before = textOf(stage, PROGRAM);
      await stage.run(`echo 'exit 0' >> ${PROGRAM}`);
      const differs = textOf(stage, PROGRAM) === before ? 'it is as before' : 'it differs';
      requireHurt(stage, { id: 'I33', seen: /differs/ }, differs);
      return {
        did: `appended a line to ${PROGRAM}, of which neither the machine nor the host’s ledger knows`,
        async look() {
          const right = textOf(stage, PROGRAM) === before && (await stage.isWell());
          return right ? { healed: `${PROGRAM} is as wanted again` } : undefined;
        },
      };
    },
  },
  {
    id: 'I35',
    title: '/usr/local/bin is missing',
    fleets: FLEETS,
    promise: 'the folder is made by whoever needs it, and what was in it is there again',
    within: HEALED_WITHIN,
    async strike(stage) {
      const before = contentOf(stage);
      await stage.run(`rm -rf ${FOLDER}`);
      const { err } = await stage.run(`tee ${FOLDER}/tuist-ssh-reachability >/dev/null`, '#!/bin/sh\n');
      requireHurt(stage, { id: 'I35', seen: /No such file or directory/ }, err);
      return {
        did: `removed ${FOLDER} and all that is in it: ${[...before.keys()].join(', ')}`,
        async look() {
          const now = contentOf(stage);
          const right = [...before].every(([name, text]) => now.get(name) === text) && (await stage.isWell());
          return right ? { healed: `${[...now.keys()].join(', ')} are there again` } : undefined;
        },
      };
    },
  },
];

/** Whether the machine and the host's own ledger say that all was done. */
async function isRecordedCurrent(stage: Stage): Promise<boolean> {
  const { applied, desired } = (await stage.machine())?.status?.plan ?? {};
  const { converged } = JSON.parse(textOf(stage, LEDGER) ?? '{}') as { readonly converged?: boolean };
  return converged === true && applied !== undefined && applied === desired;
}

const textOf = (stage: Stage, path: string): string | undefined => {
  const { files } = stage.mac();
  return files.exists(root, path) ? files.read(root, path).toString('latin1') : undefined;
};

/** The programs in the folder with what is in them. */
function contentOf(stage: Stage): ReadonlyMap<string, string | undefined> {
  const { files } = stage.mac();
  const names = files.exists(root, FOLDER) ? files.list(root, FOLDER) : [];
  return new Map(names.map(name => [name, textOf(stage, `${FOLDER}/${name}`)]));
}
