import { CAPI_REMOTE, PROVIDER } from '@minifleet/provider/testing/program';
import type { Place, Question } from './account.ts';
import { nodeAgent } from './accounts.ts';

/** Request that no Minifleet account may make, except those in `except`. The page shows the API server's answers, and a test requires every other answer to be `no`. */
export interface Refusal extends Question {
  /** Accounts that may make the request, each with the reason. */
  readonly except?: Readonly<Record<string, string>>;
}

const rbac = 'rbac.authorization.k8s.io';
const refused = (verb: string, what: string, place: Place = 'everywhere'): Refusal => ({ verb, what, place });

const MIRRORS = {
  [nodeAgent.name]:
    'the Node authorizer allows it for every node, and NodeRestriction limits it to mirror Pods; the agent creates none',
};

export const REFUSALS: readonly Refusal[] = [
  refused('*', '*'),
  refused('list', 'secrets'),
  refused('get', 'secrets', 'default'),
  refused('create', 'secrets', 'default'),
  refused('deletecollection', 'secrets', 'minifleet-system'),
  refused('deletecollection', 'pods', 'tuist-runners'),
  { ...refused('create', 'pods', 'default'), except: MIRRORS },
  { ...refused('create', 'pods', 'kube-system'), except: MIRRORS },
  refused('create', 'pods/exec'),
  refused('get', 'nodes/proxy'),
  {
    ...refused('delete', 'nodes'),
    except: {
      [CAPI_REMOTE]: 'Cluster API deletes the Node of a deleted Machine',
      [PROVIDER]: 'it deletes the Node of a Mac that leaves its machine',
    },
  },
  refused('deletecollection', 'nodes'),
  refused('delete', 'machines.cluster.x-k8s.io'),
  refused('delete', 'scalewayapplesiliconmachines.infrastructure.cluster.x-k8s.io'),
  refused('delete', 'machosts.minifleet.dev'),
  refused('create', 'serviceaccounts/token'),
  refused('impersonate', 'users'),
  refused('impersonate', 'groups'),
  refused('impersonate', 'serviceaccounts'),
  refused('escalate', `clusterroles.${rbac}`),
  refused('bind', `clusterroles.${rbac}`),
  refused('create', `clusterrolebindings.${rbac}`),
  refused('create', `rolebindings.${rbac}`, 'minifleet-system'),
  refused('patch', `roles.${rbac}`, 'minifleet-system'),
  refused('delete', 'validatingadmissionpolicies.admissionregistration.k8s.io'),
  refused('patch', 'customresourcedefinitions.apiextensions.k8s.io'),
];
