/** Returns the reason why host networks cannot be tested here, or false: for `skip` of node:test. */
export const noHostNetwork: string | false =
  process.platform === 'linux' && process.getuid?.() === 0 ? false : 'network namespaces need Linux and root';
