/** Internals of packages/tart-kubelet/server that tests, benchmarks and generators of other packages use. */
export { type Kubectl, kubectlOf, type Ran } from '../server/testing/kubectl.ts';
