export { accessReview, type MayAsk } from './access-review.ts';
export { alertProblems, labelsIn, ruleFileProblems, runbookProblems } from './alert-problems.ts';
export { apiServerContract, type ContractServer } from './contract.ts';
export { deleteDefinition } from './delete-definition.ts';
export type { Faults, FaultTarget, RequestMatch } from './faults.ts';
export type { Validate } from './kinds/served-kind.ts';
export { type Backup, createMemoryApi, type MemoryApi, type MemoryApiOptions } from './memory-api.ts';
export { promqlProblem } from './promql-problem.ts';
export { type StallableProxy, startStallableProxy } from './stallable-proxy.ts';
