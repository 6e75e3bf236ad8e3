/** An in-memory forge for tests of packages that use a forge, and the contract that every driver passes. */
export { type ForgeBench, type ForgeContract, testForge } from './forge.contract.ts';
export type { CallName, ForgeCall } from './forge-call.ts';
export type { MemoryFault } from './memory-faults.ts';
export { type MemoryForge, type MemoryForgeOptions, memoryForge } from './memory-forge.ts';
export { memoryResolver } from './memory-resolver.ts';
