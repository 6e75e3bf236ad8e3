import type { InfraMachine } from '@minifleet/api';
import { deleting, keyOf, keyString, type Node } from '@minifleet/kube';
import type { BootstrapToken } from './bootstrap-token.ts';
import { approve, deny, type RequestDecision, type RequestSpec, requestedNames } from './judge-request.ts';

export interface ClientQuestion {
  readonly spec: RequestSpec;
  /** Node of the requester, or of its token. */
  readonly nodeName: string;
  /** All machines of that name, in any namespace. */
  readonly machines: readonly InfraMachine[];
  readonly node: Node | undefined;
  /** Bootstrap token of the requester, if it is not a Node yet. */
  readonly token: BootstrapToken | undefined;
}

/**
 * Decides if the requester may become this Node. A token is valid only for the Node of its machine: the approver of Kubernetes lets
 * any token become any Node, even an existing one.
 */
export function judgeClient(question: ClientQuestion): RequestDecision {
  const why = wrongWithMachine(question) ?? wrongWithNames(question) ?? wrongWithNode(question);
  return why === undefined ? approve : deny(why);
}

function wrongWithMachine({ nodeName, machines, token }: ClientQuestion): string | undefined {
  const [machine, namesake] = machines;
  if (!machine) return `the machine ${nodeName} does not exist`;
  if (namesake) {
    const both = [machine, namesake].map(one => keyString(keyOf(one)));
    return `${both.join(' and ')} would share the Node ${nodeName}; delete the Machine of one`;
  }
  // An existing Node keeps working until it is released.
  if (!token) return undefined;
  if (token.machineUID !== machine.metadata.uid) return `its token belongs to an earlier machine ${nodeName}`;
  return deleting(machine) ? `the machine ${nodeName} is being deleted` : undefined;
}

function wrongWithNames({ spec, nodeName }: ClientQuestion): string | undefined {
  const names = requestedNames(spec, nodeName, 'client auth');
  if ('wrong' in names) return names.wrong;
  return names.dnsNames.length + names.addresses.length > 0
    ? 'a client certificate must not contain DNS names or addresses'
    : undefined;
}

function wrongWithNode({ nodeName, machines, node }: ClientQuestion): string | undefined {
  const found = node?.spec?.providerID;
  const wanted = machines[0]?.spec.providerID;
  return !found || found === wanted
    ? undefined
    : `the Node ${nodeName} already exists with the providerID ${found} instead of ${wanted}`;
}
