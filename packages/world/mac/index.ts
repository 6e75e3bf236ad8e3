/** A simulated Mac and its models, for tests that act on one directly. */
export { codeSigningOf } from './code-signing/kernel-check.ts';
export { machO } from './code-signing/mach-o.ts';
export { type BuiltMac, type CreateMacOptions, createMac } from './create-mac.ts';
export { launchdOf } from './launchd/launchd.ts';
export { macParts } from './mac-parts.ts';
export { skewOf } from './network-name/mac-time.ts';
export { startInternetSharing } from './pf/internet-sharing.ts';
export { allowed, type Packet, translation } from './pf/packet.ts';
export { pfOf } from './pf/pf.ts';
export { Pipe } from './processes/pipe.ts';
export { processesOf } from './processes/process-table.ts';
export { execute } from './shell/execute.ts';
export { type SshServer, startSshServer } from './ssh/start-ssh-server.ts';
export { tartPart } from './tart/part.ts';
export { tartArchive } from './tart/tart-bundle.ts';
export { m1, root } from './user.ts';
