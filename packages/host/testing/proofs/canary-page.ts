import type { Leak } from '../canary/canary.ts';
import { table } from './killed-anywhere-page.ts';

interface CanaryResult {
  /** Provoked failures, one line each, with equal text for equal kinds. */
  readonly provoked: readonly string[];
  readonly planted: readonly string[];
  readonly texts: number;
  readonly bytes: number;
  readonly leaks: readonly Leak[];
}

const INTRODUCTION = `# Canary

Unique secrets are planted wherever a host is given one. Then the whole plan of a builder, which has every step there is,
meets one failure after the other, each on a freshly imaged Mac: every command of the plan in every way a command can go
wrong, every file that is written, every program that is started. A command that fails and can still speak repeats its
arguments, its standard input and every secret, as they are, in Base64 and in hexadecimal.

All that came of it is searched for every secret in those notations: errors (message, stack, causes, \`util.inspect\`,
JSON), the report, every entry of the journal, the history of the Mac (every command line, the arguments of every
process), and every file of the Mac, ledger, leases and logs included. Left out are the three places where a secret
belongs: \`/etc/kcpassword\`, the agent's kubeconfig, and what the runner keeps after it registered.

Written by \`npm run proofs -- canary\`; a test repeats a part of it, and another shows that a step which lets a secret out is
found. What the commands print is searched in the same way by \`packages/cli/host/canary.incident.test.ts\`.
`;

/** Renders the page: provoked failures, searched texts, findings. */
export function canaryPage({ provoked, planted, texts, bytes, leaks }: CanaryResult): string {
  const kinds = [...Map.groupBy(provoked, words => words)].map(([words, all]) => [words, String(all.length)]);
  return [
    INTRODUCTION,
    `${provoked.length} failures provoked, ${texts} texts searched (${Math.round(bytes / 1_000_000)} MB), findings: ${leaks.length}.\n`,
    '## Planted\n',
    `${planted.map(name => `- ${name}\n`).join('')}`,
    '## Provoked\n',
    table(['failure', 'times'], kinds),
    '## Findings\n',
    leaks.length === 0
      ? 'None.\n'
      : leaks.map(leak => `- ${leak.secret}, ${leak.written}, in ${leak.where}\n`).join(''),
  ].join('\n');
}
