/** A simulated Mac and its models, for tests that act on one directly. */

export { RUNNER_VERSION } from '../actions-runner/install-runner.ts';
export { homebrewOf } from './builder/brew.ts';
export { HOMEBREW_INSTALL_SCRIPT } from './builder/builder-part.ts';
export { builderOf, installXcode } from './builder/image-builder.ts';
export { runnerTarball } from './builder/runner-state.ts';
export { codeSigningOf } from './code-signing/codesign.ts';
export { machO } from './code-signing/mach-o.ts';
export { type BuiltMac, type CreateMacOptions, createMac } from './create-mac.ts';
export { jobProgramsOf } from './launchd/job-program.ts';
export { launchdOf } from './launchd/launchd.ts';
export { encodePassword } from './login-window/kcpassword.ts';
export { m1, root } from './mac.ts';
export { macParts } from './mac-parts.ts';
export { skewOf } from './network-name/mac-time.ts';
export { type AgentOnMacOptions, agentOnMac } from './outside/agent-on-mac.ts';
export { startInternetSharing } from './pf/network.ts';
export { allowed, type Packet, translation } from './pf/packet.ts';
export { pfOf } from './pf/pf.ts';
export { Pipe } from './processes/pipe.ts';
export { processesOf } from './processes/process-table.ts';
export { type ExecuteOptions, execute, type ShellResult } from './shell/execute.ts';
export { type SshServer, startSshServer } from './ssh/start-ssh-server.ts';
export { type TartOnMac, tartArchive, tartOf, tartPart } from './tart/tart-part.ts';
export { networkOf } from './unix/network/curl.ts';
export { changePassword } from './unix/sudo/password.ts';
export { memoryOf } from './unix/system/memory.ts';
