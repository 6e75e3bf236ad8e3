import { Argument, Command } from 'commander';
import type { CliContext } from '../context.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `minifleet completion bash` prints the completion script. */
export const completionCommand = ({ output }: CliContext): Command =>
  new Command('completion')
    .description('Print the shell completion script: source <(minifleet completion bash)')
    .addArgument(new Argument('<shell>', 'shell').choices(SHELLS))
    .action(async (shell: string) => {
      const { readFile } = await import('node:fs/promises');
      output.write(await readFile(new URL(`./scripts/minifleet.${shell}`, import.meta.url), 'utf8'));
    });

/** Hidden command that the completion scripts call at each Tab. */
export const completeCommand = ({ output }: CliContext, root: Command): Command =>
  new Command('__complete').argument('[argv...]').action(async (argv: readonly string[]) => {
    const { candidates } = await import('./candidates.ts');
    output.write(
      candidates(root, argv)
        .map(word => `${word}\n`)
        .join(''),
    );
  });
