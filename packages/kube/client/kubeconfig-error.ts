/** The kubeconfig cannot be used. The message says what is wrong, where, and what to write instead. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

export const refuse = (path: string, problem: string, cause?: unknown): never => {
  throw new KubeconfigError(`kubeconfig ${path}: ${problem}`, cause === undefined ? {} : { cause });
};
