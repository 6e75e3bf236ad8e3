import { builderPart } from './builder/builder-part.ts';
import { codeSigningPart } from './code-signing/codesign.ts';
import { diskPart } from './disk/diskutil.ts';
import { fileVaultPart } from './file-vault/file-vault.ts';
import { keychainPart } from './keychain/security.ts';
import { launchdPart } from './launchd/launchd-part.ts';
import { localNetworkPart } from './local-network/local-network.ts';
import { loginWindowPart } from './login-window/login-window.ts';
import type { MacPart } from './mac.ts';
import { networkNamePart } from './network-name/network-name.ts';
import { pfPart } from './pf/pf.ts';
import { privateNetworkPart } from './private-network/networksetup.ts';

/** The models of macOS. launchd is last, because the jobs it starts at boot depend on the others. */
export const macParts: readonly MacPart[] = [
  pfPart,
  codeSigningPart,
  localNetworkPart,
  keychainPart,
  diskPart,
  fileVaultPart,
  networkNamePart,
  privateNetworkPart,
  builderPart,
  loginWindowPart,
  launchdPart,
];
