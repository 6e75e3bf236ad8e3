import type { Chance } from '../../chance.ts';

export type PermissionSet =
  | 'AppleSiliconFullAccess'
  | 'AppleSiliconReadOnly'
  | 'SSHKeysFullAccess'
  | 'SSHKeysReadOnly'
  /** Covers users, groups and policies, but not SSH keys (facts §4). */
  | 'IAMManager';

interface Project {
  readonly id: string;
  readonly name: string;
  /** Maximum number of servers (default: unlimited). */
  readonly quota?: number;
}

/** API key of an application, and the scope of its policy. */
export interface ApiKey {
  readonly accessKey: string;
  readonly secretKey: string;
  /** The policy covers only this project (default: the whole organization). */
  readonly projectId?: string;
  readonly permissions: readonly PermissionSet[];
}

export interface Organization {
  readonly id: string;
  readonly projects: readonly Project[];
  readonly keys: readonly ApiKey[];
}

/** Permission sets of the operators' key. Private networks and IPAM are not modelled. */
const FLEET: readonly PermissionSet[] = ['AppleSiliconFullAccess', 'SSHKeysFullAccess'];

export interface ProjectOptions {
  readonly name: string;
  readonly id?: string;
  readonly quota?: number;
}

/** `project` is a name. Without it, the policy covers the organization. */
export interface KeyOptions {
  readonly project?: string;
  readonly permissions?: readonly PermissionSet[];
  readonly accessKey?: string;
  readonly secretKey?: string;
}

/** Every project gets a key with a policy for that project. `keys` are added before them and found first. */
export function createOrganization(
  chance: Chance,
  projects: readonly ProjectOptions[],
  keys: readonly KeyOptions[],
): Organization {
  const made = projects.map(({ name, id, quota }) => ({
    id: id ?? chance.stream(`project ${name}`).uuid(),
    name,
    ...(quota === undefined ? {} : { quota }),
  }));
  const keyOf = (options: KeyOptions, stream: Chance): ApiKey => ({
    accessKey: options.accessKey ?? `SCW${stream.hex(17).toUpperCase()}`,
    secretKey: options.secretKey ?? stream.uuid(),
    ...(options.project === undefined ? {} : { projectId: projectNamed(made, options.project).id }),
    permissions: options.permissions ?? FLEET,
  });
  return {
    id: chance.stream('organization').uuid(),
    projects: made,
    keys: [
      ...keys.map((options, index) => keyOf(options, chance.stream(`key ${index}`))),
      ...made.map(({ name }) => keyOf({ project: name }, chance.stream(`key of ${name}`))),
    ],
  };
}

export function projectNamed(projects: readonly Project[], name: string): Project {
  const project = projects.find(candidate => candidate.name === name);
  if (!project) throw new Error(`simulated Scaleway: unknown project ${name}`);
  return project;
}
