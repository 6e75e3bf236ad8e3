import { renderCrds } from '@minifleet/api';
import { accessManifests } from '@minifleet/provider/testing/program';
import { chartFiles } from '../charts/generate/chart-files.ts';
import { clusterctlFiles } from '../charts/generate/clusterctl-files.ts';
import { alertRules } from './alert-rules.ts';
import { agentPage, flagsPage } from './flags-page.ts';
import { fleetsPage } from './fleets-page.ts';
import { imageVersions } from './image-versions.ts';
import { kindsPage } from './kinds-page.ts';
import { metricsPage } from './metrics-page.ts';
import { podFieldsPage } from './pod-fields-page.ts';
import { rbacFiles } from './rbac-files.ts';
import { worldPage } from './world-page.ts';

/** Every generated file: path from the root of the repository → content. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...[...renderCrds()].map(([file, yaml]): [string, string] => [`config/crd/${file}`, yaml]),
    ...rbacFiles(),
    ['docs/world.md', worldPage()],
    ['docs/reference/kinds.md', kindsPage()],
    ['docs/reference/pod-fields.md', podFieldsPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/reference/flags.md', flagsPage()],
    ['docs/node-agent.md', agentPage()],
    ['images/versions.pkrvars.hcl', imageVersions()],
    ['docs/fleets.md', fleetsPage()],
    ...alertRules(),
    ...chartFiles({ rbac: rbacFiles(), rules: alertRules() }),
    ...clusterctlFiles([...accessManifests().values()].flat()),
  ]);
}
