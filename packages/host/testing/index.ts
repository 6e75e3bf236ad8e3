/** For tests of whatever works on hosts. */
export * from './converge-step.ts';
export * from './mac-transport.ts';
export * from './test-host.ts';
