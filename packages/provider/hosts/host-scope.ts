import type { DesiredHost, HostState, MacHost, ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Clock, Duration } from '@minifleet/clock';
import type { Client, EventRecorder, Log, Node } from '@minifleet/kube';
import type { Secret } from '@minifleet/secret';
import type { Server, Vendor } from '@minifleet/vendors';
import type { Cluster } from '../cluster-api/kinds.ts';
import type { ProviderSettings } from '../program/settings.ts';
import type { BuilderForge } from './builder-forge.ts';
import type { HostCredentialStore } from './host-credential-store.ts';
import type { HostJobs } from './jobs/host-jobs.ts';

/** Machine that holds a host. Every infrastructure kind has these fields. */
export type Consumer = ScalewayAppleSiliconMachine;

/** Data of one reconcile of a host. Everything but `host` was read before and is frozen. */
export interface HostScope {
  /** A draft; one patch at the end sends the changes of its status and metadata. */
  readonly host: MacHost;
  /** Machine of spec.consumerRef with this UID. */
  readonly consumer: Consumer | undefined;
  readonly cluster: Cluster | undefined;
  /** Node of spec.desired.nodeName. */
  readonly node: Node | undefined;
  /** Server in the last list of the vendor; for an owned Mac, made from its source. */
  readonly server: Server | undefined;
  /** Absent for an owned Mac. */
  readonly vendor: Vendor | undefined;
}

/** Scope of a host that a machine holds and has configured. */
export interface HeldScope extends HostScope {
  readonly consumer: Consumer;
  readonly desired: DesiredHost;
  readonly server: Server;
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
  readonly kubeconfig: (consumer: Consumer, cluster: Cluster | undefined) => Promise<Secret>;
  /** Other hosts of a fleet, from the cache. */
  readonly hostsOfFleet: (namespace: string, fleet: string) => readonly MacHost[];
}

/** Result of the handler of one state: the condition Ready, and when to reconcile again without a watch event. */
export interface StateResult {
  readonly ready: boolean;
  readonly reason: string;
  readonly message: string;
  readonly again?: Duration;
}

export type StateHandler = (scope: HostScope, deps: HostControllerDeps) => Promise<StateResult>;

export type HostStateTable = Readonly<Record<HostState, StateHandler>>;
