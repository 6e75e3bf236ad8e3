/**
 * `npm run proofs [-- killed-anywhere|canary|agent-killed|provider-killed|runners-killed]`: writes docs/proofs, each
 * page from minutes of injected failures in the world.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { canaryPage } from '@minifleet/host/testing/proofs/canary-page';
import { PLANTED, runCanary } from '@minifleet/host/testing/proofs/canary-run';
import { killAnywhere } from '@minifleet/host/testing/proofs/kill-anywhere';
import { killedAnywherePage, survived } from '@minifleet/host/testing/proofs/killed-anywhere-page';
import { withRoles } from '@minifleet/host/testing/proofs/roles';
import type { Blow } from '@minifleet/provider/testing/faults/blow';
import type { BlowOutcome, BlowPage, TroubleOutcome } from '@minifleet/provider/testing/faults/blow-page';
import { killedPage as providerKilledPage } from '@minifleet/provider/testing/faults/killed-page';
import { scenes } from '@minifleet/provider/testing/faults/scenes';
import * as providerStage from '@minifleet/provider/testing/faults/strike-scene';
import { liveTrouble } from '@minifleet/provider/testing/faults/trouble';
import { troubles } from '@minifleet/provider/testing/faults/troubles';
import { killedPage as runnersKilledPage } from '@minifleet/runners/testing/faults/killed-page';
import { scenes as runnersScenes } from '@minifleet/runners/testing/faults/scenes';
import * as runnersStage from '@minifleet/runners/testing/faults/strike-scene';
import { liveTrouble as liveRunnersTrouble } from '@minifleet/runners/testing/faults/trouble';
import { troubles as runnersTroubles } from '@minifleet/runners/testing/faults/troubles';
import { openKillBench } from '@minifleet/tart-kubelet/testing/faults/kill-bench';
import { killRows } from '@minifleet/tart-kubelet/testing/faults/kill-rows';
import { faultsOf, type KillOutcome, killedPage } from '@minifleet/tart-kubelet/testing/faults/killed-page';

interface Proof {
  readonly page: string;
  readonly holds: boolean;
}

const proofs: Readonly<Record<string, () => Promise<Proof>>> = {
  async 'killed-anywhere'() {
    const kills = await withRoles(async roles => {
      const rows = [];
      for (const role of roles) rows.push(...(await killAnywhere(role)));
      return rows;
    });
    return { page: killedAnywherePage(kills), holds: kills.every(survived) };
  },
  async canary() {
    const { canary, provoked } = await runCanary();
    const { texts, bytes, leaks } = canary;
    const planted = PLANTED.map(({ name }) => name);
    return { page: canaryPage({ provoked, planted, texts, bytes, leaks }), holds: leaks.length === 0 };
  },
  async 'agent-killed'() {
    await using bench = await openKillBench();
    const outcomes: KillOutcome[] = [];
    for (const row of killRows) outcomes.push(await bench.liveThrough(row));
    return { page: killedPage(outcomes), holds: outcomes.every(outcome => faultsOf(outcome).length === 0) };
  },
  'provider-killed': () =>
    struckAnywhere({ ...providerStage, scenes, troubles, liveTrouble, page: providerKilledPage }),
  'runners-killed': () =>
    struckAnywhere({
      ...runnersStage,
      scenes: runnersScenes,
      troubles: runnersTroubles,
      liveTrouble: liveRunnersTrouble,
      page: runnersKilledPage,
    }),
};

interface StruckProgram<Kind extends string, Scene, Trouble> {
  readonly scenes: readonly Scene[];
  readonly blowsIn: (scene: Scene) => Promise<Blow<Kind>[]>;
  readonly strikeScene: (scene: Scene, blow: Blow<Kind>) => Promise<BlowOutcome<Kind>>;
  readonly troubles: readonly Trouble[];
  readonly liveTrouble: (trouble: Trouble) => Promise<readonly string[]>;
  readonly page: BlowPage<Kind>['page'];
}

/** Every fault in every scenario, and every other failure. */
async function struckAnywhere<Kind extends string, Scene, Trouble extends Omit<TroubleOutcome, 'wrong'>>(
  program: StruckProgram<Kind, Scene, Trouble>,
): Promise<Proof> {
  const blows: BlowOutcome<Kind>[] = [];
  for (const scene of program.scenes) {
    for (const blow of await program.blowsIn(scene)) blows.push(await program.strikeScene(scene, blow));
  }
  const others: TroubleOutcome[] = [];
  for (const trouble of program.troubles) others.push({ ...trouble, wrong: await program.liveTrouble(trouble) });
  return {
    page: program.page(blows, others),
    holds: [...blows, ...others].every(({ wrong }) => wrong.length === 0),
  };
}

const [requested] = process.argv.slice(2);
if (requested !== undefined && !(requested in proofs)) {
  throw new Error(`unknown proof "${requested}"; available: ${Object.keys(proofs).join(', ')}`);
}
mkdirSync('docs/proofs', { recursive: true });
for (const [name, prove] of Object.entries(proofs)) {
  if (requested !== undefined && requested !== name) continue;
  const { page, holds } = await prove();
  writeFileSync(`docs/proofs/${name}.md`, page);
  console.log(`docs/proofs/${name}.md: ${holds ? 'holds' : 'DOES NOT HOLD'}`);
  if (!holds) process.exitCode = 1;
}
