/** Values that must never be shown, and what keeps them out of texts. */
export { createRedactor, type Redactor, secretsIn } from './redactor.ts';
export { Secret } from './secret.ts';
