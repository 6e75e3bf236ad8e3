/** For tests of whatever works on hosts. */
export * from './converge-step.ts';
export { type Unpacked, unpackDebian } from './debian-package.ts';
export * from './mac-transport.ts';
export { type OpenSshServer, type OpenSshServerOptions, startOpenSshServer } from './open-ssh-server.ts';
export { type StallableProxy, startStallableProxy } from './stallable-proxy.ts';
export * from './test-host.ts';
