import { root } from '@minifleet/world/mac';
import { FLEETS } from '../up/fleets/share-hosts.ts';
import { agentSteps } from './agent-job.ts';
import type { FaultTarget } from './fault-target.ts';
import { awaitPrecondition, requireEffect } from './fixtures/preconditions.ts';
import { type Incident, REPAIRED_WITHIN } from './incident.ts';
import { convergeAll } from './our-way-env.ts';

const PROGRAM = '/usr/local/libexec/minifleet-rotate-logs';
const FOLDER = '/usr/local/bin';
const LEDGER = '/var/db/minifleet/ledger.json';

/** Checks that the MacHost and the ledger on the host both record a complete run. */
async function isRecordedCurrent(target: FaultTarget): Promise<boolean> {
  const { applied, desired } = (await target.host())?.status?.plan ?? {};
  const { converged } = JSON.parse(readText(target, LEDGER) ?? '{}') as { readonly converged?: boolean };
  return converged === true && applied !== undefined && applied === desired;
}

const readText = (target: FaultTarget, path: string): string | undefined => {
  const { files } = target.mac();
  return files.exists(root, path) ? files.read(root, path).toString('latin1') : undefined;
};

/** Reads the programs of the folder, by name. */
function readFolder(target: FaultTarget): ReadonlyMap<string, string | undefined> {
  const { files } = target.mac();
  const names = files.exists(root, FOLDER) ? files.list(root, FOLDER) : [];
  return new Map(names.map(name => [name, readText(target, `${FOLDER}/${name}`)]));
}

/** Incidents with files that Minifleet manages on a host. */
export const hostFileIncidents: readonly Incident[] = [
  {
    id: 'I33',
    title: 'the hashed content is not the pushed content',
    live: {
      fault: 'a managed file is edited by hand, and every record still says that the host is current',
      fleets: FLEETS,
      expected: 'an inspection of the host finds the change, and the file is written again',
      within: REPAIRED_WITHIN,
      async inject(target) {
        // A repair that is still running would find the change by chance.
        await awaitPrecondition(target, 'every record to say that the host is current', () =>
          isRecordedCurrent(target),
        );
        const before = readText(target, PROGRAM);
        await target.run(`echo 'exit 0' >> ${PROGRAM}`);
        const differs = readText(target, PROGRAM) === before ? 'the file is unchanged' : 'the file differs';
        requireEffect(target, 'I33', /differs/, differs);
        return {
          action: `appended a line to ${PROGRAM}, which neither the machine nor the ledger of the host records`,
          async check() {
            const restored = readText(target, PROGRAM) === before && (await target.isReady());
            return restored ? { repaired: `${PROGRAM} is up to date again` } : undefined;
          },
        };
      },
    },
  },
  {
    id: 'I35',
    title: '/usr/local/bin is missing on a fresh image',
    oldWay: {
      procedure: 'streamed a script to /usr/local/bin before any step had created the folder',
      symptom: /\/usr\/local\/bin\/tuist-ssh-reachability: No such file or directory/,
      async run(env) {
        const mac = await env.mac();
        const { err } = await mac.run('sudo tee /usr/local/bin/tuist-ssh-reachability >/dev/null', {
          stdin: '#!/bin/sh\n',
        });
        return err;
      },
    },
    ourWay: {
      expected: 'every step that needs the folder creates it',
      procedure: 'ran a step that needs the folder and creates it',
      result: /^converged; \/usr\/local\/bin\/tart-kubelet exists$/,
      async run(env) {
        await env.oldWay();
        const outcome = await convergeAll(env, ...agentSteps('version 1'));
        const { code } = await env.mac.run('test -x /usr/local/bin/tart-kubelet');
        return `${outcome}; /usr/local/bin/tart-kubelet ${code === 0 ? 'exists' : 'is missing'}`;
      },
    },
    live: {
      fault: '/usr/local/bin is removed',
      fleets: FLEETS,
      expected: 'the steps create the folder and restore its files',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const before = readFolder(target);
        await target.run(`rm -rf ${FOLDER}`);
        const { err } = await target.run(`tee ${FOLDER}/tuist-ssh-reachability >/dev/null`, '#!/bin/sh\n');
        requireEffect(target, 'I35', /No such file or directory/, err);
        return {
          action: `removed ${FOLDER} with ${[...before.keys()].join(', ')}`,
          async check() {
            const now = readFolder(target);
            const restored = [...before].every(([name, text]) => now.get(name) === text) && (await target.isReady());
            return restored ? { repaired: `${[...now.keys()].join(', ')} are restored` } : undefined;
          },
        };
      },
    },
  },
];
