/** What a look at one part of the Mac came to, in the words of a Node condition. */
export interface Finding {
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase. */
  readonly reason: string;
  /** Stable between looks: it may hold no times and no measures, or every look would be a change. */
  readonly message: string;
}

export const holds = (reason: string, message: string): Finding => ({ status: 'True', reason, message });
export const fails = (reason: string, message: string): Finding => ({ status: 'False', reason, message });
export const unknown = (reason: string, message: string): Finding => ({ status: 'Unknown', reason, message });

/** Where nobody has looked yet. */
export const notLookedYet: Finding = unknown('NotLookedYet', 'the agent has just started');
