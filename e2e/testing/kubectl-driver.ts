/**
 * kubectl for tests: failed commands fail the test, and waits have a deadline. Waits read through a client, because each
 * kubectl takes 60 ms of processor time.
 */
import assert from 'node:assert/strict';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, type Pod, pods } from '@minifleet/kube';
import type { Kubectl } from '@minifleet/tart-kubelet/testing/server';

export interface TestPodOptions {
  readonly node: string;
  readonly image: string;
  /** Text for `/bin/sh -c` in the guest; without one the VM itself is the process. */
  readonly script?: string | undefined;
  readonly grace?: number;
  readonly restartPolicy?: 'Never' | 'Always' | 'OnFailure';
}

/** Spec of a Pod that tolerates the taint of Macs and runs on this Node. */
export const podSpec = ({ node, image, script, grace = 5, restartPolicy = 'Never' }: TestPodOptions) => ({
  restartPolicy,
  terminationGracePeriodSeconds: grace,
  nodeSelector: { 'kubernetes.io/hostname': node },
  tolerations: [{ key: 'tuist.dev/macos', operator: 'Exists' }],
  containers: [{ name: 'main', image, ...(script === undefined ? {} : { command: ['/bin/sh', '-c', script] }) }],
});

export interface KubectlDriver {
  /** Returns standard output; a failure fails the test. */
  ok(...argv: readonly string[]): Promise<string>;
  apply(object: object): Promise<void>;
  createPod(name: string, options: TestPodOptions): Promise<void>;
  pod(name: string): Promise<Pod>;
  phaseOf(name: string): Promise<string | undefined>;
  /** Waits for the phase, and fails early at another final phase. */
  awaitPhase(name: string, phase: 'Running' | 'Succeeded' | 'Failed'): Promise<Pod>;
  isGone(name: string): Promise<boolean>;
}

const FINAL: readonly (string | undefined)[] = ['Succeeded', 'Failed'];

interface KubectlDriverDeps {
  readonly admin: Client;
  readonly kubectl: Kubectl;
}

export function createKubectlDriver({ admin, kubectl }: KubectlDriverDeps): KubectlDriver {
  const ok = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await kubectl.run(argv);
    assert.equal(code, 0, `kubectl ${argv.join(' ')}: ${stderr}${stdout}`);
    return stdout;
  };
  const apply = async (object: object): Promise<void> => {
    const { code, stderr } = await kubectl.run(['apply', '-f', '-'], { input: JSON.stringify(object) });
    assert.equal(code, 0, stderr);
  };
  const inDefault = (name: string) => ({ namespace: 'default', name });
  const pod = (name: string): Promise<Pod> => admin.get(pods, inDefault(name));
  return {
    ok,
    apply,
    pod,
    createPod: (name, options) => apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: podSpec(options) }),
    phaseOf: async name => (await pod(name)).status?.phase,
    async awaitPhase(name, phase) {
      const reached = await eventually(
        async () => {
          const found = await pod(name);
          return [phase, ...FINAL].includes(found.status?.phase) && found;
        },
        { what: `${name} is ${phase}`, deadline: seconds(180) },
      );
      assert.equal(reached.status?.phase, phase, JSON.stringify(reached.status, undefined, 1));
      return reached;
    },
    isGone: async name => (await admin.find(pods, inDefault(name))) === undefined,
  };
}
