import type { Stage } from '../stage.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A condition of a machine or of a Node; undefined when it has none such. */
export const conditionOf = (
  object: { readonly status?: { readonly conditions?: readonly Condition[] } } | undefined,
  wanted: string,
): Condition | undefined => object?.status?.conditions?.find(({ type }) => type === wanted);

/** `StepFailed: …`: what the machine says of work on its host that does not go on; undefined as long as it goes well. */
export async function toldOfHost({ machine }: Pick<Stage, 'machine'>): Promise<string | undefined> {
  const told = conditionOf(await machine(), 'HostBootstrapped');
  return told?.status === 'False' ? `${told.reason}: ${told.message}` : undefined;
}
