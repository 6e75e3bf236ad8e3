import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const INTRODUCTION = `<!-- Generated from the READMEs in packages/world by npm run generate. Do not edit. -->
# The world

Macs, Tart, the vendor and the forge, simulated on loopback for those who have no Mac at hand. Real clients use it unmodified: OpenSSH, the official Scaleway SDK, Octokit. What hurt the operators whose documents Minifleet comes from hurts here, too:

\`\`\`
npm run minifleet -- world start --hosts 12   # Macs to log in to, a vendor, a forge, a registry
npm run incidents -- --old-way                # every incident, done as it was first done, and what it said
\`\`\`

**None of this was checked on Apple hardware.** Each quirk names its source: S0–S4 are the operators' five documents, *facts* our notes on them, *recorded* exchanges others published, *derived* what nobody has checked. Anything the world does not model answers as the real tool would to nonsense, and is written to the journal as a gap, so that a test relying on it fails.

Time runs on a clock that can be held or sped up; chance comes from a seed; faults can strike any call, connection, file write or process. The same seed gives the same journal.
`;

/** docs/world.md: every part's README as one page, so that the list of quirks is true where the code is. */
export function worldPage(): string {
  const parts = globSync('packages/world/*/**/README.md', { exclude: path => path.includes('node_modules') }).sort();
  return [INTRODUCTION, ...parts.map(sectionOf)].join('\n');
}

function sectionOf(path: string): string {
  const [title = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const body = lines
    .join('\n')
    .replaceAll(/^(#+) /gm, '#$1 ')
    .trim();
  return `## ${title.replace(/^# /, '')}\n\n*[${dirname(path)}](../${dirname(path)})*\n\n${body}\n`;
}
