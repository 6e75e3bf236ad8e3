/** Internals of packages/cli/terminal that tests, benchmarks and generators of other packages use. */
export { terminalScreen } from '../terminal/testing/terminal-screen.ts';
