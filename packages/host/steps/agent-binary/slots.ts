/** Where the agent's programs lie: one folder for each content, and links that say which one runs. */
export const AGENT_HOME = '/usr/local/lib/tart-kubelet';

/** What runs, and what ran before it: links to a slot's name. */
export const CURRENT = `${AGENT_HOME}/current`;
export const PREVIOUS = `${AGENT_HOME}/previous`;

const NAME_LENGTH = 16;

/** A slot is named by its content, so that the same version is never sent twice and two versions never share an inode. */
export const slotOf = (sha256: string): string => sha256.slice(0, NAME_LENGTH);

export const isSlot = (name: string): boolean => /^[\da-f]{16}$/.test(name);

export const programIn = (slot: string): string => `${AGENT_HOME}/${slot}/tart-kubelet`;
