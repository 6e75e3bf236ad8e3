import type { Plugin } from 'esbuild';

/** One file cannot hold native add-ons. Packages that have one for speed (ssh2) catch its absence and go on without. */
export const withoutNativeCode: Plugin = {
  name: 'without-native-code',
  setup(build) {
    build.onResolve({ filter: /\.node$/ }, ({ path }) => ({ path, namespace: 'native-code' }));
    build.onLoad({ filter: /.*/, namespace: 'native-code' }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`this build has no native code: ${path}`)});`,
    }));
  },
};
