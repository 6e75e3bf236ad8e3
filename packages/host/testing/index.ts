/** For tests of whatever works on hosts. */
export { type Canary, createCanary, type Planted, unique } from './canary/canary.ts';
export { type Sabotage, sabotaged, sabotages } from './canary/sabotage.ts';
export * from './converge-step.ts';
export { type Unpacked, unpackDebian } from './debian-package.ts';
export { killedAtEveryCommand, type Victim } from './killed-at-every-command.ts';
export * from './mac-transport.ts';
export { type OpenSshServer, type OpenSshServerOptions, startOpenSshServer } from './open-ssh-server.ts';
export * from './test-host.ts';
