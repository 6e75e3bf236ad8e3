/** Where hosts come from: one driver a folder, one contract for all. It knows no Kubernetes. */
export * from './errors.ts';
export * from './vendor.ts';
