import type { Plugin } from 'esbuild';

export const NATIVE_CODE = 'native-code';

/** One file cannot hold native add-ons. Packages that have one for speed (ssh2) catch its absence and go on without. */
export const withoutNativeCode: Plugin = {
  name: 'without-native-code',
  setup(build) {
    build.onResolve({ filter: /\.node$/ }, ({ path }) => ({ path, namespace: NATIVE_CODE }));
    build.onLoad({ filter: /.*/, namespace: NATIVE_CODE }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`this build has no native code: ${path}`)});`,
    }));
  },
};
