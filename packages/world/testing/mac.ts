/** Internals of packages/world/mac that tests, benchmarks and generators of other packages use. */
export { homebrewOf } from '../mac/builder/brew.ts';
export { HOMEBREW_INSTALL_SCRIPT } from '../mac/builder/builder-part.ts';
export {
  builderOf,
  type ConnectionResult,
  installCommandLineTools,
  installXcode,
  type RegistrationRequest,
  type RunnerForge,
} from '../mac/builder/image-builder.ts';
export { runnerArchive, runnerTarball, scriptText } from '../mac/builder/runner-state.ts';
export { fileVaultOf } from '../mac/file-vault/file-vault.ts';
export type { JobProgram, JobStart } from '../mac/launchd/job-program.ts';
export { launchdOf, openGuiDomain } from '../mac/launchd/launchd.ts';
export { localNetworkAllowed } from '../mac/local-network/local-network.ts';
export { encodePassword } from '../mac/login-window/kcpassword.ts';
export { hasAquaSession, loginWindowSettings } from '../mac/login-window/login-window.ts';
export { type MacPart, m1, type Run, root } from '../mac/mac.ts';
export { skewOf } from '../mac/network-name/mac-time.ts';
export type { AgentNetwork } from '../mac/outside/agent-on-mac.ts';
export { BOOTSTRAP, LABEL, type RealJob, type RealJobOptions, realJob } from '../mac/outside/testing/real-job.ts';
export { startInternetSharing } from '../mac/pf/network.ts';
export { allowed, type Packet } from '../mac/pf/packet.ts';
export { parseFile } from '../mac/pf/parse-file.ts';
export { pfOf } from '../mac/pf/pf.ts';
export { processesOf } from '../mac/processes/process-table.ts';
export { tartBundle } from '../mac/tart/tart-part.ts';
export { createReachableMac } from '../mac/testing/open-ssh.ts';
export { createTestMac, PASSWORD } from '../mac/testing/test-mac.ts';
export { tarball } from '../mac/unix/archive/tar.ts';
export { type TarEntry, writeTar } from '../mac/unix/archive/tar-format.ts';
export { networkOf } from '../mac/unix/network/curl.ts';
export { type PlistValue, readPlist } from '../mac/unix/preferences/property-list.ts';
