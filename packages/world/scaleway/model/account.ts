import type { Chance } from '../../chance.ts';

export type PermissionSet =
  | 'AppleSiliconFullAccess'
  | 'AppleSiliconReadOnly'
  | 'SSHKeysFullAccess'
  | 'SSHKeysReadOnly'
  /** Covers users, groups and policies, and not SSH keys (facts §4). */
  | 'IAMManager';

interface Project {
  readonly id: string;
  readonly name: string;
  /** Servers it may have; without limit unless said. */
  readonly quota?: number;
}

/** An API key of an application and what its policy covers. */
export interface ApiKey {
  readonly accessKey: string;
  readonly secretKey: string;
  /** Its policy covers this project alone; without one, the whole organization. */
  readonly projectId?: string;
  readonly permissions: readonly PermissionSet[];
}

export interface Organization {
  readonly id: string;
  readonly projects: readonly Project[];
  readonly keys: readonly ApiKey[];
}

/** The sets the operators' key needs; private networks and IPAM are not modelled. */
const FLEET: readonly PermissionSet[] = ['AppleSiliconFullAccess', 'SSHKeysFullAccess'];

export interface ProjectOptions {
  readonly name: string;
  readonly id?: string;
  readonly quota?: number;
}

/** `project` is a name; without one the policy covers the organization. */
export interface KeyOptions {
  readonly project?: string;
  readonly permissions?: readonly PermissionSet[];
  readonly accessKey?: string;
  readonly secretKey?: string;
}

/** Every project gets a key whose policy is scoped to it; `keys` come in addition and are found first. */
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
  if (!project) throw new Error(`there is no project ${name}`);
  return project;
}
