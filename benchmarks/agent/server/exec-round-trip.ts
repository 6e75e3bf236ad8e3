import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { NodeBench } from '../../../e2e/testing/node-bench.ts';
import { type Spread, spreadOf } from '../measure/spread.ts';
import { EXEC_RUNS } from '../names.ts';

/** Duration of kubectl exec, and of a kubectl that only sends a request to the API server. */
export interface ExecRoundTrip {
  readonly exec: Spread;
  readonly kubectlAlone: Spread;
}

export async function execRoundTrip({ cluster, kubectl }: NodeBench, pod: string): Promise<ExecRoundTrip> {
  const time = async (argv: readonly string[]): Promise<number> => {
    const begun = performance.now();
    const config = ['--kubeconfig', cluster.kubeconfigs.admin.path];
    const child = spawn(kubectl.program, [...config, ...argv], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`kubectl ${argv.join(' ')} ended with ${code}`);
    return performance.now() - begun;
  };
  const exec: number[] = [];
  const alone: number[] = [];
  // Alternating, so that other load affects both equally.
  for (let run = 0; run < EXEC_RUNS; run++) {
    exec.push(await time(['exec', pod, '--', 'true']));
    alone.push(await time(['get', 'pod', pod]));
  }
  return { exec: spreadOf(exec), kubectlAlone: spreadOf(alone) };
}
