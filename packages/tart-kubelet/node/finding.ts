/** Result of a check of the Mac, with the fields of a Node condition. */
export interface NodeFinding {
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase. */
  readonly reason: string;
  /** Stable between checks: without times or measurements, otherwise every check would be a change. */
  readonly message: string;
}

export const holds = (reason: string, message: string): NodeFinding => ({ status: 'True', reason, message });
export const fails = (reason: string, message: string): NodeFinding => ({ status: 'False', reason, message });
export const unknown = (reason: string, message: string): NodeFinding => ({ status: 'Unknown', reason, message });

/** Used until the first check. */
export const notCheckedYet: NodeFinding = unknown('NotCheckedYet', 'the agent has just started');
