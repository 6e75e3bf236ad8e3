/** Secret values, and the redactor that removes them from texts. */
export { createRedactor, type Redactor, type RedactorOptions, secretsIn } from './redactor.ts';
export { Secret } from './secret.ts';
