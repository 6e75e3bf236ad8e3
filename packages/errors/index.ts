/** Error catalogue: each error has a code, a condition reason, a retry rule, and a message that names the next action. */
export * from './counted-calls.ts';
export * from './define-error.ts';
export * from './retry.ts';
