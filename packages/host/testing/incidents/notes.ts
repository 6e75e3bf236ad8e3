import { wanted } from '../../engine/step.ts';
import { buildCache } from '../../steps/build-cache/build-cache.ts';
import { DEFAULT_BLOCKED, DEFAULT_GUESTS } from '../../steps/vm-egress/egress-spec.ts';
import { vmEgress } from '../../steps/vm-egress/vm-egress.ts';
import type { OurWay } from './our-way.ts';
import { outcomeOf, wordsOf } from './words-of.ts';

const FORGE = '140.82.121.3';
const CACHE = '/Volumes/tuist-runner-cache';
const egress = wanted(vmEgress, { guests: DEFAULT_GUESTS, blocked: DEFAULT_BLOCKED, allow: [] });
const cache = wanted(buildCache, { directory: CACHE, variable: 'TUIST_MIX_BUILD_ROOT', owner: 'm1' });

/** What the notes beyond the forty incidents come to, done our way, where no other file has them. */
export const notesOurWay: readonly OurWay[] = [
  {
    id: 'F02',
    title: 'git over SSH times out in guests',
    row: 'guests reach port 22 of the forge, and not that of the host',
    did: 'filtered by what guests may reach, on the bridge they come in by, instead of guarding a port',
    seen: /^converged; a guest reaches port 22 of the forge, and not of the host$/,
    async run(scene) {
      const outcome = await outcomeOf(scene, egress);
      const words = scene.guest.reaches(FORGE, 22, 'bridge100') ? 'reaches' : 'cannot reach';
      const host = scene.guest.reaches('192.168.64.1', 22, 'bridge100') ? 'and' : 'and not';
      return `${outcome}; a guest ${words} port 22 of the forge, ${host} of the host`;
    },
  },
  {
    id: 'F03',
    title: 'every job is cold: the cache volume belongs to root',
    row: 'the cache belongs to the account that runs the jobs, and is seen as drift until it does',
    did: 'looked at the folder’s owner and gave it to the account that runs the jobs',
    seen: /^found: .*root:wheel.* wanted Directory m1:staff.*; then current; a job can write to the cache$/,
    async run(scene) {
      await scene.oldWay('F03');
      const { before, after } = await scene.converge(cache);
      const { code } = await scene.mac.run(`touch ${CACHE}/warm`);
      const writes = code === 0 ? 'can' : 'cannot';
      return `found: ${wordsOf(before)}; then ${after.state}; a job ${writes} write to the cache`;
    },
  },
];
