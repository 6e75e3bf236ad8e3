/** `npm run proofs [-- killed-anywhere|canary|agent-killed|provider-killed]`: writes docs/proofs, each page from minutes of failures in the world. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { canaryPage } from '../packages/host/proofs/canary-page.ts';
import { killedAnywherePage, survived } from '../packages/host/proofs/killed-anywhere-page.ts';
import { PLANTED, runCanary } from '../packages/host/proofs/testing/canary-run.ts';
import { killAnywhere } from '../packages/host/proofs/testing/kill-anywhere.ts';
import { withRoles } from '../packages/host/proofs/testing/roles.ts';
import { type BlowOutcome, killedPage as providerKilledPage } from '../packages/provider/faults/killed-page.ts';
import { scenes } from '../packages/provider/faults/testing/scenes.ts';
import { blowsIn, strikeScene } from '../packages/provider/faults/testing/strike-scene.ts';
import { liveTrouble } from '../packages/provider/faults/testing/trouble.ts';
import { troubles } from '../packages/provider/faults/testing/troubles.ts';
import { killRows } from '../packages/tart-kubelet/faults/kill-rows.ts';
import { faultsOf, type KillOutcome, killedPage } from '../packages/tart-kubelet/faults/killed-page.ts';
import { openKillBench } from '../packages/tart-kubelet/faults/testing/kill-bench.ts';

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
  async 'provider-killed'() {
    const blows: BlowOutcome[] = [];
    for (const scene of scenes) for (const blow of await blowsIn(scene)) blows.push(await strikeScene(scene, blow));
    const others = [];
    for (const trouble of troubles) others.push({ ...trouble, wrong: await liveTrouble(trouble) });
    return {
      page: providerKilledPage(blows, others),
      holds: [...blows, ...others].every(({ wrong }) => wrong.length === 0),
    };
  },
};

const [wanted] = process.argv.slice(2);
if (wanted !== undefined && !(wanted in proofs)) {
  throw new Error(`no proof "${wanted}"; there are: ${Object.keys(proofs).join(', ')}`);
}
mkdirSync('docs/proofs', { recursive: true });
for (const [name, prove] of Object.entries(proofs)) {
  if (wanted !== undefined && wanted !== name) continue;
  const { page, holds } = await prove();
  writeFileSync(`docs/proofs/${name}.md`, page);
  console.log(`docs/proofs/${name}.md: ${holds ? 'holds' : 'DOES NOT HOLD'}`);
  if (!holds) process.exitCode = 1;
}
