import type { CliContext } from '@minifleet/cli';
import { NOT_UP } from '../errors.ts';
import { findRunningUp } from '../running/up-state.ts';

/** Shell lines that set KUBECONFIG and PATH. */
export const exportLines = (state: { readonly kubeconfig: string; readonly tools: string }): readonly string[] => [
  `export KUBECONFIG=${state.kubeconfig}`,
  `export PATH=${state.tools}:$PATH`,
];

/** For `eval "$(minifleet env)"`. */
export async function printEnvironment(context: CliContext): Promise<void> {
  const running = await findRunningUp(context);
  if (!running) throw NOT_UP({});
  context.output.write(`${exportLines(running).join('\n')}\n`);
}
