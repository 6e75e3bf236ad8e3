/** A forge in memory for the tests of whoever uses one; the contract that every driver passes. */
export { type ForgeBench, type ForgeContract, testForge } from './forge.contract.ts';
export type { CallName, ForgeCall } from './forge-call.ts';
export type { MemoryFault } from './memory-faults.ts';
export { type MemoryForge, type MemoryForgeOptions, memoryForge } from './memory-forge.ts';
export { memoryResolver } from './memory-resolver.ts';
