/** kubectl as a test speaks to it: what must succeed does, and what is awaited has a deadline. */
import assert from 'node:assert/strict';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { Pod } from '@minifleet/kube';
import type { Kubectl } from '../../packages/tart-kubelet/server/testing/kubectl.ts';

export interface PodOptions {
  readonly node: string;
  readonly image: string;
  /** Text for `/bin/sh -c` in the guest; without one the VM itself is the process. */
  readonly script?: string | undefined;
  readonly grace?: number;
  readonly restartPolicy?: 'Never' | 'Always' | 'OnFailure';
}

/** The spec of a Pod that tolerates the taint of a Mac and runs on this one. */
export const podSpec = ({ node, image, script, grace = 5, restartPolicy = 'Never' }: PodOptions) => ({
  restartPolicy,
  terminationGracePeriodSeconds: grace,
  nodeSelector: { 'kubernetes.io/hostname': node },
  tolerations: [{ key: 'tuist.dev/macos', operator: 'Exists' }],
  containers: [{ name: 'main', image, ...(script === undefined ? {} : { command: ['/bin/sh', '-c', script] }) }],
});

export interface KubectlInSentences {
  /** Its output; a failure is the test's. */
  ok(...argv: readonly string[]): Promise<string>;
  apply(object: object): Promise<void>;
  createPod(name: string, options: PodOptions): Promise<void>;
  pod(name: string): Promise<Pod>;
  phaseOf(name: string): Promise<string | undefined>;
  /** Waits for the phase, and fails early when another end has come. */
  reaches(name: string, phase: 'Running' | 'Succeeded' | 'Failed'): Promise<Pod>;
  isGone(name: string): Promise<boolean>;
}

const ENDS: readonly (string | undefined)[] = ['Succeeded', 'Failed'];

export function inSentences(kubectl: Kubectl): KubectlInSentences {
  const ok = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await kubectl.run(argv);
    assert.equal(code, 0, `kubectl ${argv.join(' ')}: ${stderr}${stdout}`);
    return stdout;
  };
  const apply = async (object: object): Promise<void> => {
    const { code, stderr } = await kubectl.run(['apply', '-f', '-'], { input: JSON.stringify(object) });
    assert.equal(code, 0, stderr);
  };
  const pod = async (name: string): Promise<Pod> => JSON.parse(await ok('get', 'pod', name, '-o', 'json')) as Pod;
  return {
    ok,
    apply,
    pod,
    createPod: (name, options) => apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: podSpec(options) }),
    phaseOf: async name => (await pod(name)).status?.phase,
    async reaches(name, phase) {
      const reached = await eventually(
        async () => {
          const seen = await pod(name);
          return [phase, ...ENDS].includes(seen.status?.phase) && seen;
        },
        { what: `${name} is ${phase}`, deadline: seconds(180) },
      );
      assert.equal(reached.status?.phase, phase, JSON.stringify(reached.status, undefined, 1));
      return reached;
    },
    isGone: async name => (await kubectl.run(['get', 'pod', name])).stderr.includes('NotFound'),
  };
}
