/** An in-memory vendor for tests of packages that use a vendor, and the contract that every driver passes. */
export type { MemoryFault } from './memory-faults.ts';
export { memoryId, memoryServer, SEQUOIA, TAHOE } from './memory-server.ts';
export { type MemoryVendor, type MemoryVendorOptions, memoryVendor } from './memory-vendor.ts';
export { testVendor, type VendorBench, type VendorContract } from './vendor.contract.ts';
export type { CallName, VendorCall } from './vendor-call.ts';
