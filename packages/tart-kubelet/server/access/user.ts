/** Who asks, in the words of Kubernetes' reviews. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}
