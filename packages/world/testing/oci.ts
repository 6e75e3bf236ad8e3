/** Internals of packages/world/oci that tests, benchmarks and generators of other packages use. */
export { digestOf } from '../oci/image-content.ts';
