import type { IEmptyDirVolumeSource, IEnvVarSource, IVolume, IVolumeProjection } from 'kubernetes-models/v1';
import { type FieldRules, refused, supported } from './field-rule.ts';

const STORAGE = refused('this node supports only configMap, secret, downwardAPI, projected and emptyDir volumes');

/** Rules for every volume type. */
export const volumeFields: FieldRules<IVolume> = {
  awsElasticBlockStore: STORAGE,
  azureDisk: STORAGE,
  azureFile: STORAGE,
  cephfs: STORAGE,
  cinder: STORAGE,
  configMap: supported,
  csi: STORAGE,
  downwardAPI: supported,
  emptyDir: supported,
  ephemeral: STORAGE,
  fc: STORAGE,
  flexVolume: STORAGE,
  flocker: STORAGE,
  gcePersistentDisk: STORAGE,
  gitRepo: STORAGE,
  glusterfs: STORAGE,
  hostPath: refused('a guest has no access to host files'),
  image: STORAGE,
  iscsi: STORAGE,
  name: refused<string>('the share `env` holds the Pod’s environment', name => name === 'env'),
  nfs: STORAGE,
  persistentVolumeClaim: STORAGE,
  photonPersistentDisk: STORAGE,
  portworxVolume: STORAGE,
  projected: supported,
  quobyte: STORAGE,
  rbd: STORAGE,
  scaleIO: STORAGE,
  secret: supported,
  storageos: STORAGE,
  vsphereVolume: STORAGE,
};

export const emptyDirFields: FieldRules<IEmptyDirVolumeSource> = {
  medium: refused('a share is always on the host’s disk'),
  sizeLimit: supported,
};

export const projectionFields: FieldRules<IVolumeProjection> = {
  clusterTrustBundle: refused('this node does not read trust bundles'),
  configMap: supported,
  downwardAPI: supported,
  podCertificate: refused('this node does not request Pod certificates'),
  secret: supported,
  serviceAccountToken: supported,
};

const ADDRESS = /^status\.podIPs?$/;

/** Rules for variable sources of a container without a command. */
export const variableSourceFields: FieldRules<IEnvVarSource> = {
  configMapKeyRef: supported,
  fieldRef: refused<{ fieldPath: string }>(
    'status.podIP requires a command: without one, the VM is the process and reads its variables before it has an address',
    ({ fieldPath }) => ADDRESS.test(fieldPath),
  ),
  fileKeyRef: refused('init containers, which would write the file, are not supported'),
  resourceFieldRef: supported,
  secretKeyRef: supported,
};

/** Rules with a command: its process starts after the guest has its address. */
export const processVariableSourceFields: FieldRules<IEnvVarSource> = { ...variableSourceFields, fieldRef: supported };
