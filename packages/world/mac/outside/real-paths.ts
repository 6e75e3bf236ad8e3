/** Paths of a simulated Mac and where they are on this machine: below one folder, laid out as on the Mac. */
export interface RealPaths {
  readonly root: string;
  /** Every path of the Mac in a word: `--kubeconfig=/etc/…`, `/usr/bin:/bin`. */
  readonly toReal: (word: string) => string;
  /** The other way; what is not below the folder stays as it is. */
  readonly toMac: (word: string) => string;
}

/** Where macOS keeps things. A slash alone does not make a path: `scw-applesilicon://zone/id` is none. */
const PATH = /(?<=^|[=:,])\/(?:Library|System|Users|bin|etc|opt|private|sbin|tmp|usr|var)(?=[/:,]|$)/g;

/** A socket's path has room for 107 bytes, and the agent's are up to 75 below the folder. */
const LONGEST = 32;

export function realPaths(root: string): RealPaths {
  if (root.length > LONGEST)
    throw new Error(`${root} is too long a path for sockets below it; give a folder of at most ${LONGEST} characters`);
  return {
    root,
    toReal: word => (word === '/' ? root : word.replace(PATH, path => root + path)),
    toMac: word => (word === root ? '/' : word.replaceAll(`${root}/`, '/')),
  };
}
