/**
 * Regenerates the part of GitHub's OpenAPI description that the simulated GitHub is checked against.
 *
 *     node scripts/github-openapi.ts                # downloads the pinned package into a temporary folder (385 MB)
 *     node scripts/github-openapi.ts api.json       # uses a copy of generated/api.github.com.json
 *
 * Run it when the simulation gains an endpoint or `VERSION` is raised.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descriptionSubset, restRoutes } from '@minifleet/world/testing/github';

const PACKAGE = '@octokit/openapi';
const VERSION = '23.0.2';
const TARGET = 'packages/world/github/openapi/testdata/github-rest-api.json';

const given = process.argv[2];
const full = JSON.parse(given === undefined ? download() : readFileSync(given, 'utf8')) as Record<string, unknown>;
const subset = descriptionSubset(full, {
  operations: restRoutes.filter(({ beside }) => !beside),
  webhooks: 'workflow-job-',
});
const source = {
  package: PACKAGE,
  version: VERSION,
  license: 'MIT; the notice is in NOTICE.md beside this file',
  regenerate: 'node scripts/github-openapi.ts',
};
writeFileSync(TARGET, `${JSON.stringify({ 'x-source': source, ...subset }, undefined, 1)}\n`);
console.log(TARGET);

function download(): string {
  const folder = mkdtempSync(join(tmpdir(), 'github-openapi-'));
  try {
    const install = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', [...install, `${PACKAGE}@${VERSION}`], { stdio: ['ignore', 'inherit', 'inherit'] });
    return readFileSync(join(folder, 'node_modules', PACKAGE, 'generated', 'api.github.com.json'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
