/** Vendor drivers that provide hosts: one folder per driver, one contract for all. This package does not depend on Kubernetes. */
export * from './errors.ts';
export { type InventoryProblem, problemWords } from './inventory/inventory-problem.ts';
export type { HostNames, Inventory, InventoryStore } from './inventory/inventory-store.ts';
export { type InventoryOptions, inventoryVendor } from './inventory/inventory-vendor.ts';
export { type InventoryReading, readInventory } from './inventory/read-inventory.ts';
export type { Patience } from './outbound/patience.ts';
export { type ScalewayOptions, scalewayVendor } from './scaleway/scaleway-vendor.ts';
export * from './vendor.ts';
