import { minutes } from '@minifleet/clock';
import { createPlan, type Plan } from '../engine/plan.ts';
import { type PlannedStep, planRemoval } from '../engine/step.ts';
import { actionsRunner } from '../steps/actions-runner/actions-runner.ts';
import { agentCredentialsRemoval, agentDataRemoval } from '../steps/agent-data/agent-data.ts';
import { agentJob } from '../steps/agent-job/agent-job.ts';
import { buildCache } from '../steps/build-cache/build-cache.ts';
import { builderTools } from '../steps/builder-tools/builder-tools.ts';
import { guestDhcpLease } from '../steps/guest-dhcp-lease/guest-dhcp-lease.ts';
import { localNetwork } from '../steps/local-network/local-network.ts';
import { logRotation } from '../steps/log-rotation/log-rotation.ts';
import { tart, tartRemoval } from '../steps/tart/tart.ts';
import { vmEgress } from '../steps/vm-egress/vm-egress.ts';

/** Without the runner and the agent, the Mac takes no work and is no Node. */
const quiesce = (): PlannedStep[] => [
  planRemoval(actionsRunner),
  planRemoval(agentJob),
  planRemoval({
    id: 'agent-credentials',
    title: 'node agent credentials',
    disturbs: 'nothing',
    timeout: minutes(2),
    removal: agentCredentialsRemoval,
  }),
];

/** Removes the runner, the agent and the credentials of the Node from a Mac that is retained. */
export const quiescePlan = (): Plan => createPlan(quiesce());

/**
 * Removes everything that a machine put on a Mac that its vendor cannot reinstall. The access of the pool stays for the next
 * machine: the SSH key of the fleet, sudo, auto-login, no sleep. The Mac keeps the name of the last Node until then.
 *
 * The agent goes before its VMs, because it would start them again. Tart goes after the VMs, which it deletes, and the firewall after
 * the VMs, which it confines. Homebrew and the selection of Xcode stay, because other programs may use them by now.
 */
export const releasePlan = (): Plan =>
  createPlan([
    ...quiesce(),
    planRemoval({
      id: 'agent-data',
      title: 'VMs, images and state of the node agent',
      disturbs: 'running VMs',
      timeout: minutes(10),
      removal: agentDataRemoval,
    }),
    planRemoval(builderTools),
    planRemoval(buildCache),
    planRemoval(logRotation),
    planRemoval({ ...tart, removal: tartRemoval }),
    planRemoval(vmEgress),
    planRemoval(guestDhcpLease),
    planRemoval(localNetwork),
  ]);
