import type { HostState, InfraMachine, MacHost } from '@minifleet/api';
import type { Clock, Duration } from '@minifleet/clock';
import type { Client, EventRecorder, Log, Node } from '@minifleet/kube';
import type { Secret } from '@minifleet/secret';
import type { Image, Server, Vendor } from '@minifleet/vendors';
import type { BuilderForge } from '../builders/builder-forge.ts';
import type { Cluster } from '../cluster-api/kinds.ts';
import type { HostCredentialStore } from '../credentials/credentials.ts';
import type { ProviderSettings } from '../settings/settings.ts';
import type { SshAddress } from './jobs/host-job.ts';
import type { HostJobs } from './jobs/host-jobs.ts';

/** Data of one reconcile of a host. Everything but `host` was read before and is frozen. */
export interface HostScope {
  /** A draft; one patch at the end sends the changes of its status and metadata. */
  readonly host: MacHost;
  /** Machine of spec.consumerRef with this UID. */
  readonly consumer: InfraMachine | undefined;
  /** Other machines that name this host (I13). */
  readonly others: readonly InfraMachine[];
  readonly cluster: Cluster | undefined;
  /** Node of spec.desired.nodeName. */
  readonly node: Node | undefined;
  /** Nodes with the providerID of the host. */
  readonly registered: readonly Node[];
  /** Server in the last list of the vendor; for an owned Mac, made from its source. */
  readonly server: Server | undefined;
  /** False if the vendor no longer has the server. */
  readonly listed: boolean;
  /** Absent for an owned Mac. */
  readonly vendor: Vendor | undefined;
}

export interface HostControllerDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly settings: ProviderSettings;
  /** UID of the namespace kube-system. */
  readonly clusterId: string;
  readonly jobs: HostJobs;
  readonly credentials: HostCredentialStore;
  readonly forge: BuilderForge;
  /** Bootstrap kubeconfig of a consumer whose Node does not exist yet. */
  readonly kubeconfig: (consumer: InfraMachine, cluster: Cluster | undefined) => Promise<Secret>;
  /** SSH address of a host behind a tunnel; undefined for the address of its vendor. */
  readonly sshAddress: (host: string) => SshAddress | undefined;
  /** Called when the release of a host without a machine is requested. */
  readonly onReclaim?: () => void;
}

/** Dependencies of the handlers: those of the controller, and what it reads from its caches. */
export interface HandlerDeps extends HostControllerDeps {
  /** Other hosts of the fleet of a held host. */
  readonly fleetOf: (host: MacHost) => readonly FleetHost[];
  /** Images of the vendor for a server type; read again after the discovery interval. */
  readonly images: (vendor: Vendor, server: Server) => Promise<readonly Image[]>;
}

export interface FleetHost {
  readonly host: MacHost;
  readonly nodeReady: boolean;
}

/** Result of the handler of one state: the condition Ready, and when to reconcile again without a watch event. */
export interface StateResult {
  readonly ready: boolean;
  readonly reason: string;
  readonly message: string;
  readonly again?: Duration;
}

export type StateHandler = (scope: HostScope, deps: HandlerDeps) => Promise<StateResult>;

export type HostStateTable = Readonly<Record<HostState, StateHandler>>;
