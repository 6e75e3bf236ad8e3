export { commandLine } from './command-line.ts';
export { installCrds } from './install-crds.ts';
