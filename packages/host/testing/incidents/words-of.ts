/** How incidents done our way tell what was found and what came of it. */
import type { Finding, PlannedStep } from '../../engine/step.ts';
import type { OurScene } from './our-way.ts';

export const wordsOf = (finding: Finding): string =>
  finding.state === 'current' ? 'nothing' : finding.differences.join(', ');

export const differencesOf = async ({ host }: OurScene, step: PlannedStep): Promise<string> =>
  wordsOf(await step.inspect(host));

/** `converged`, or the error in its words. */
export async function outcomeOf(scene: OurScene, ...steps: readonly PlannedStep[]): Promise<string> {
  try {
    for (const step of steps) {
      const { after } = await scene.converge(step);
      if (after.state === 'drift') return wordsOf(after);
    }
    return 'converged';
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : 'an error without words';
  }
}

/** What the host has recorded since, and what was said: how many of these texts hold the secret. */
export function tracesOf(secret: string, texts: readonly string[]): string {
  return `${texts.filter(text => text.includes(secret)).length} of ${texts.length} traces`;
}
