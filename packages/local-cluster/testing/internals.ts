/** Internals of packages/local-cluster that tests, benchmarks and generators of other packages use. */
export { kubeconfigText } from '../kubeconfig.ts';
