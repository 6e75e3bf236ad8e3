import { cdhashOf } from '../code-signing/mach-o.ts';
import { type Mac, type MacPart, root, type SessionType, type User } from '../mac.ts';
import { includes, parseNetwork } from '../pf/network.ts';

import { readPreferences } from '../unix/preferences/defaults.ts';

interface LocalNetwork {
  /** Hashes of programs for which a user has clicked Allow. The system keeps them on disk, inaccessible to users. */
  readonly grants: Set<string>;
  /** Allow-list in the preferences at the last boot. Later changes take effect at the next boot (facts §3.13). */
  allowList: readonly string[];
  /** Programs for which the system would prompt a user at the screen. */
  readonly asked: Set<string>;
}

const KEY = Symbol('local network');
/**
 * `sudo defaults write com.apple.network.local-network` writes to root's preferences; the system-wide preferences also
 * apply (derived).
 */
const DOMAINS = ['com.apple.network.local-network', '/Library/Preferences/com.apple.network.local-network'];
/** Usual address of a Mac's first guest (facts §6). */
const GUEST = '192.168.64.2';

const localNetworkOf = (mac: Mac): LocalNetwork =>
  mac.state(KEY, () => ({ grants: new Set(), allowList: [], asked: new Set() }));

interface LocalNetworkQuestion {
  /** Path of the program that opens the connection. */
  readonly program: string;
  readonly session: SessionType;
  readonly user?: User;
  /** (default: a guest on the Mac's own bridge) */
  readonly address?: string;
}

/**
 * Returns true if a program may reach the local network. Daemons of launchd, root and children of sshd are exempt. An
 * agent in the session at the screen needs a grant for its exact signature, or the allow-list. A refusal is silent:
 * connections are not established (S3, facts §3.13).
 */
export function localNetworkAllowed(mac: Mac, question: LocalNetworkQuestion): boolean {
  if (question.session !== 'aqua' || question.user?.uid === 0) return true;
  const state = localNetworkOf(mac);
  const address = question.address ?? GUEST;
  const listed = state.allowList.some(text => {
    const network = parseNetwork(text);
    return network !== undefined && includes(network, address);
  });
  const hash = hashOfProgram(mac, question.program);
  if (listed || (hash !== undefined && state.grants.has(hash))) return true;
  state.asked.add(question.program);
  mac.around.journal.add(`mac/${mac.options.name}`, 'local network denied', question.program);
  return false;
}

/** Simulates a user at the screen who clicks Allow. This is impossible over SSH. */
export function clickAllow(mac: Mac, program: string): void {
  const hash = hashOfProgram(mac, program);
  if (hash !== undefined) localNetworkOf(mac).grants.add(hash);
}

function hashOfProgram(mac: Mac, program: string): string | undefined {
  return mac.files.exists(root, program) ? cdhashOf(mac.files.read(root, program)) : undefined;
}

/** Called at boot. */
function readAllowList(mac: Mac): void {
  localNetworkOf(mac).allowList = DOMAINS.flatMap(domain => {
    const addresses = readPreferences(mac, root, domain)['AllowedEthernetLocalNetworkAddresses'];
    return Array.isArray(addresses) ? addresses.map(String) : [];
  });
}

/** Local Network privacy. It has no command; other parts call its check. */
export const localNetworkPart: MacPart = mac => {
  mac.onBoot(() => readAllowList(mac));
  return {};
};
