/** Why tests of host networks cannot run here, or false where they can: given to node:test as `skip`. */
export const noHostNetwork: string | false =
  process.platform === 'linux' && process.getuid?.() === 0 ? false : 'network namespaces need Linux and root';
