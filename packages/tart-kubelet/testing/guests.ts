/** Internals of packages/tart-kubelet/guests that tests, benchmarks and generators of other packages use. */
export { createSyntheticGuests, type SyntheticGuests } from '../guests/testing/synthetic-guests.ts';
export { createSyntheticImages } from '../guests/testing/synthetic-images.ts';
