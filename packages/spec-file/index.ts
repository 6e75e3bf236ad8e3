/** Reads spec files: the desired state of one host (CLI) or of all hosts of a provider (fleet file). */
export { readFleetFile } from './read-fleet-file.ts';
export { readSpecFile, type SpecDefaults } from './read-spec-file.ts';
export { readSecretLine, secretLine } from './secret-line.ts';
export { SpecFileError } from './spec-file-error.ts';
export { whyUnreadable } from './why-unreadable.ts';
