import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { abortError } from '../stop.ts';

/** Returns if the user agrees to the changes printed before; throws otherwise. */
export async function confirmed({ yes = false }: { readonly yes?: boolean }, { prompts }: CliContext): Promise<void> {
  if (yes) return;
  if (!prompts) throw new UsageError('no terminal to ask for confirmation; pass --yes. Nothing was changed');
  const agreed = await prompts.confirm('Continue?');
  if (!agreed) throw abortError();
}
