import type { ICustomResourceDefinition } from 'kubernetes-models/apiextensions.k8s.io/v1';
import type { ICertificateSigningRequest } from 'kubernetes-models/certificates.k8s.io/v1';
import type { ILease } from 'kubernetes-models/coordination.k8s.io/v1';
import type { IEvent } from 'kubernetes-models/events.k8s.io/v1';
import type { IConfigMap, INamespace, INode, IPod, ISecret, IServiceAccount } from 'kubernetes-models/v1';
import type { KubeObject } from '../object.ts';
import type { Resource } from './resource.ts';

/** The built-in kinds our programs touch, with the types of the field's own model package (types only, no code). */
export type Pod = IPod & KubeObject;
export type Node = INode & KubeObject;
export type KubeSecret = ISecret & KubeObject;
export type ConfigMap = IConfigMap & KubeObject;
export type Namespace = INamespace & KubeObject;
export type ServiceAccount = IServiceAccount & KubeObject;
export type Lease = ILease & KubeObject;
export type KubeEvent = IEvent & KubeObject;
export type CertificateSigningRequest = ICertificateSigningRequest & KubeObject;
export type CustomResourceDefinition = ICustomResourceDefinition & KubeObject;

const core = { group: '', version: 'v1' } as const;

export const pods: Resource<Pod> = { ...core, kind: 'Pod', plural: 'pods', scope: 'Namespaced' };
export const nodes: Resource<Node> = { ...core, kind: 'Node', plural: 'nodes', scope: 'Cluster' };
export const secrets: Resource<KubeSecret> = { ...core, kind: 'Secret', plural: 'secrets', scope: 'Namespaced' };
export const configMaps: Resource<ConfigMap> = {
  ...core,
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
};
export const namespaces: Resource<Namespace> = { ...core, kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' };
export const serviceAccounts: Resource<ServiceAccount> = {
  ...core,
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  scope: 'Namespaced',
};
export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
};
export const events: Resource<KubeEvent> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
};
export const certificateSigningRequests: Resource<CertificateSigningRequest> = {
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  scope: 'Cluster',
};
export const customResourceDefinitions: Resource<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};
