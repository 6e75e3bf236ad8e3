/** Internals of packages/local-cluster/components that tests, benchmarks and generators of other packages use. */
export { kubeconfigFile } from '../components/component.ts';
