/** Reads spec files: the desired state of one host (CLI) or of all hosts of a provider (fleet file). */
export {
  AGENT_FILE,
  defaultFleetFile,
  HOMEBREW_INSTALLER_FILE,
  HOST_FILES,
  type PinnedFile,
  RUNNER,
  TART,
} from './default-fleet-file.ts';
export { readFleetFile } from './read-fleet-file.ts';
export { readSpecFile, type SpecDefaults } from './read-spec-file.ts';
export { readSecretLine, secretLine } from './secret-line.ts';
export { SpecFileError } from './spec-file-error.ts';
export { whyUnreadable } from './why-unreadable.ts';
