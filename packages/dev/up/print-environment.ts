import type { CliContext } from '@minifleet/cli';
import { NOT_UP } from './errors.ts';
import { findRunning } from './running/find-running.ts';

/** The lines by which a shell finds the cluster that is up, and the tools for it. */
export const exportLines = (facts: { readonly kubeconfig: string; readonly tools: string }): readonly string[] => [
  `export KUBECONFIG=${facts.kubeconfig}`,
  `export PATH=${facts.tools}:$PATH`,
];

/** For `eval "$(minifleet env)"`. */
export async function printEnvironment(around: CliContext): Promise<void> {
  const running = await findRunning(around);
  if (!running) throw NOT_UP({});
  around.output.write(`${exportLines(running).join('\n')}\n`);
}
