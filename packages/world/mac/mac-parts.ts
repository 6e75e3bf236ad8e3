import { builderPart } from './builder/part.ts';
import { codeSigningPart } from './code-signing/part.ts';
import { diskPart } from './disk/part.ts';
import { keychainPart } from './keychain/part.ts';
import { launchdPart } from './launchd/part.ts';
import { localNetworkPart } from './local-network/part.ts';
import { loginWindowPart } from './login-window/part.ts';
import type { MacPart } from './mac-part.ts';
import { networkNamePart } from './network-name/part.ts';
import { pfPart } from './pf/part.ts';
import { privateNetworkPart } from './private-network/part.ts';

/** The models of macOS. launchd is last: the jobs it starts at boot rely on what the others have done by then. */
export const macParts: readonly MacPart[] = [
  pfPart,
  codeSigningPart,
  localNetworkPart,
  keychainPart,
  diskPart,
  networkNamePart,
  privateNetworkPart,
  builderPart,
  loginWindowPart,
  launchdPart,
];
