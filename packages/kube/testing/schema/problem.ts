import type { Problem } from '../server/refusal.ts';

type ProblemType =
  | 'Invalid'
  | 'Required'
  | 'NotSupported'
  | 'TypeInvalid'
  | 'TooLong'
  | 'TooMany'
  | 'Duplicate'
  | 'Forbidden';

/** A problem with the machine-readable reason Kubernetes gives its type. */
export const problem = (type: ProblemType, field: string, message: string): Problem => ({
  reason: `FieldValue${type}`,
  field,
  message,
});
