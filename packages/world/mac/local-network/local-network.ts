import { cdhashOf } from '../code-signing/mach-o.ts';
import { type Mac, type MacPart, root, type SessionType, type User } from '../mac.ts';
import { includes, parseNetwork } from '../pf/network.ts';

import { readPreferences } from '../unix/preferences/defaults.ts';

interface LocalNetwork {
  /** Hashes of programs someone has clicked Allow for; kept on disk by the system and out of everyone's reach. */
  readonly grants: Set<string>;
  /** What was in the preferences at the last boot: later changes wait for the next one (facts §3.13). */
  allowList: readonly string[];
  /** Programs the system would ask about, if anyone sat at the screen. */
  readonly asked: Set<string>;
}

const KEY = Symbol('local network');
/** `sudo defaults write com.apple.network.local-network` lands in root's preferences; the machine's count as well (derived). */
const DOMAINS = ['com.apple.network.local-network', '/Library/Preferences/com.apple.network.local-network'];
/** Where the first guest of a Mac usually is (facts §6). */
const GUEST = '192.168.64.2';

const localNetworkOf = (mac: Mac): LocalNetwork =>
  mac.state(KEY, () => ({ grants: new Set(), allowList: [], asked: new Set() }));

interface LocalNetworkQuestion {
  /** Path of the program that opens the connection. */
  readonly program: string;
  readonly session: SessionType;
  readonly user?: User;
  /** A guest on the Mac's own bridge unless said. */
  readonly address?: string;
}

/**
 * Whether a program may reach the local network. Daemons of launchd, root and children of sshd are exempt; an agent of
 * the screen's session needs a grant for its exact signature, or the allow-list. A refusal is silent: connections just
 * do not come about (S3, facts §3.13).
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

/** What a person does who looks at the screen and clicks Allow. There is no way to do this over SSH. */
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

/** Local Network privacy: no command of its own, only a rule others ask. */
export const localNetworkPart: MacPart = mac => {
  mac.onBoot(() => readAllowList(mac));
  return {};
};
