import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs kubectl with administrator permissions; resolves to standard output, rejects with standard error. */
export type Kubectl = (...argv: readonly string[]) => Promise<string>;

export const kubectlIn =
  (tools: string, kubeconfig: string): Kubectl =>
  async (...argv) => {
    const env = { KUBECONFIG: kubeconfig, HOME: tools };
    try {
      return (await promisify(execFile)(join(tools, 'kubectl'), argv, { env })).stdout;
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string };
      throw new Error(`kubectl ${argv.slice(0, 2).join(' ')} failed: ${stderr.trim()}`, { cause: error });
    }
  };
