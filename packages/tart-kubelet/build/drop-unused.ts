import type { Plugin } from 'esbuild';

/**
 * Files of ours that nothing is used of are left out, with all they import: the agent takes the host's steps, not its SSH
 * client. Importing one of our files has no effect by itself; esbuild cannot know that.
 */
export const dropUnused = (packages: string): Plugin => ({
  name: 'drop-unused',
  setup(build) {
    build.onResolve({ filter: /^(@minifleet\/|\.)/ }, async ({ path, pluginData, ...from }) => {
      // The question below comes by here again.
      if (pluginData === dropUnused || from.kind === 'entry-point') return undefined;
      const { importer, resolveDir, kind } = from;
      const found = await build.resolve(path, { importer, resolveDir, kind, pluginData: dropUnused });
      const ours = found.path.startsWith(`${packages}/`) && !found.path.includes('/node_modules/');
      return ours && found.errors.length === 0 ? { path: found.path, sideEffects: false } : found;
    });
  },
});
