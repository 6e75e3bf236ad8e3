/** Vendor drivers that provide hosts: one folder per driver, one contract for all. This package does not depend on Kubernetes. */
export * from './errors.ts';
export type { Patience } from './outbound/patience.ts';
export { type ScalewayOptions, scalewayVendor } from './scaleway/scaleway-vendor.ts';
export * from './vendor.ts';
