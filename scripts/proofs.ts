/**
 * `npm run proofs [-- killed-anywhere|canary|agent-killed|provider-killed|runners-killed]`: writes the pages in docs/proofs (default:
 * all). Each page takes minutes of injected failures in a simulated environment.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { canaryPage } from '@minifleet/host/testing/proofs/canary-page';
import { PLANTED, runCanary } from '@minifleet/host/testing/proofs/canary-run';
import { killAnywhere } from '@minifleet/host/testing/proofs/kill-anywhere';
import { killedAnywherePage, recovered } from '@minifleet/host/testing/proofs/killed-anywhere-page';
import { withRoles } from '@minifleet/host/testing/proofs/roles';
import type { EffectFault } from '@minifleet/provider/testing/faults/effect-fault';
import { runFailureScenario } from '@minifleet/provider/testing/faults/failure-scenario';
import { failureScenarios } from '@minifleet/provider/testing/faults/failure-scenarios';
import type {
  EffectFaultOutcome,
  FailureScenarioOutcome,
  FaultPage,
} from '@minifleet/provider/testing/faults/fault-page';
import * as providerFaults from '@minifleet/provider/testing/faults/inject-fault';
import { killedPage as providerKilledPage } from '@minifleet/provider/testing/faults/killed-page';
import { scenarios } from '@minifleet/provider/testing/faults/scenarios';
import { runFailureScenario as runRunnersFailureScenario } from '@minifleet/runners/testing/faults/failure-scenario';
import { failureScenarios as runnersFailureScenarios } from '@minifleet/runners/testing/faults/failure-scenarios';
import * as runnersFaults from '@minifleet/runners/testing/faults/inject-fault';
import { killedPage as runnersKilledPage } from '@minifleet/runners/testing/faults/killed-page';
import { scenarios as runnersScenarios } from '@minifleet/runners/testing/faults/scenarios';
import { openKillBench } from '@minifleet/tart-kubelet/testing/faults/kill-bench';
import { killRows } from '@minifleet/tart-kubelet/testing/faults/kill-rows';
import { type KillOutcome, killedPage, problemsOf } from '@minifleet/tart-kubelet/testing/faults/killed-page';

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
    return { page: killedAnywherePage(kills), holds: kills.every(recovered) };
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
    for (const row of killRows) outcomes.push(await bench.run(row));
    return { page: killedPage(outcomes), holds: outcomes.every(outcome => problemsOf(outcome).length === 0) };
  },
  'provider-killed': () =>
    injectEverywhere({
      ...providerFaults,
      scenarios,
      failureScenarios,
      runFailureScenario,
      page: providerKilledPage,
    }),
  'runners-killed': () =>
    injectEverywhere({
      ...runnersFaults,
      scenarios: runnersScenarios,
      failureScenarios: runnersFailureScenarios,
      runFailureScenario: runRunnersFailureScenario,
      page: runnersKilledPage,
    }),
};

interface ProgramUnderTest<Kind extends string, Scenario, FailureScenario> {
  readonly scenarios: readonly Scenario[];
  readonly faultsIn: (scenario: Scenario) => Promise<EffectFault<Kind>[]>;
  readonly injectFault: (scenario: Scenario, fault: EffectFault<Kind>) => Promise<EffectFaultOutcome<Kind>>;
  readonly failureScenarios: readonly FailureScenario[];
  readonly runFailureScenario: (scenario: FailureScenario) => Promise<readonly string[]>;
  readonly page: FaultPage<Kind>['page'];
}

/** Injects every fault into every scenario and runs every failure scenario. */
async function injectEverywhere<
  Kind extends string,
  Scenario,
  FailureScenario extends Omit<FailureScenarioOutcome, 'violations'>,
>(program: ProgramUnderTest<Kind, Scenario, FailureScenario>): Promise<Proof> {
  const faults: EffectFaultOutcome<Kind>[] = [];
  for (const scenario of program.scenarios) {
    for (const fault of await program.faultsIn(scenario)) faults.push(await program.injectFault(scenario, fault));
  }
  const failures: FailureScenarioOutcome[] = [];
  for (const scenario of program.failureScenarios) {
    failures.push({ ...scenario, violations: await program.runFailureScenario(scenario) });
  }
  return {
    page: program.page(faults, failures),
    holds: [...faults, ...failures].every(({ violations }) => violations.length === 0),
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
