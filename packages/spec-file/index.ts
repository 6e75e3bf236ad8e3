/** What is wanted of hosts, read from a file a person wrote: for one host (the CLI) or for every host of a provider. */
export { readFleetFile } from './read-fleet-file.ts';
export { readSpecFile, type SpecDefaults } from './read-spec-file.ts';
export { readSecretLine, secretLine } from './secret-line.ts';
export { SpecFileError } from './spec-file-error.ts';
export { whyUnreadable } from './why-unreadable.ts';
