/** Secret values, and the redactor that removes them from texts. */
export { redactCredentials } from './credential-forms.ts';
export { createRedactor, type Redactor, type RedactorOptions, secretsIn } from './redactor.ts';
export { Secret } from './secret.ts';
