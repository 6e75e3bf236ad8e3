import { globSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';

const INTRODUCTION = `<!-- Generated from the READMEs in packages/world by npm run generate. Do not edit. -->
# The simulated world

The world simulates Macs, Tart, the vendor and GitHub on loopback, for development without a Mac. Real clients use it unmodified: OpenSSH, the official Scaleway SDK, Octokit. It reproduces the problems from the operators' documents that Minifleet is based on:

\`\`\`
npm run minifleet -- world start --hosts 12   # Macs with SSH, a vendor, GitHub, a registry
npm run incidents -- --old-way                # every incident with its original procedure and output
\`\`\`

**None of this was checked on Apple hardware.** Each quirk names its source: S0–S4 are the operators' five documents, *facts* are the notes on them, *recorded* are exchanges that others published, *derived* was never checked. An unmodelled request gets the response of the real tool to invalid input. It is recorded in the journal as a gap, so that a test that relies on it fails.

Time is a clock that can be stopped or accelerated. Random numbers come from a seed. Faults can be injected into any call, connection, file write or process. The same seed gives the same journal.
`;

/** Renders docs/world.md from the README of every part, so that the quirks are documented next to their code. */
export function worldPage(): string {
  const parts = globSync('packages/world/*/**/README.md', { exclude: path => path.includes('node_modules') }).sort();
  return [INTRODUCTION, ...parts.map(sectionOf)].join('\n');
}

function sectionOf(path: string): string {
  const [title = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const body = lines
    .join('\n')
    .replaceAll(/^(#+) /gm, '#$1 ')
    .replaceAll(/\]\((?!#|[a-z]+:)([^)]+)\)/g, (_, link: string) => `](../${posix.join(dirname(path), link)})`)
    .trim();
  return `## ${title.replace(/^# /, '')}\n\n*[${dirname(path)}](../${dirname(path)})*\n\n${body}\n`;
}
