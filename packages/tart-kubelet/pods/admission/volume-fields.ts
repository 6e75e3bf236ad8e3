import type { IEmptyDirVolumeSource, IEnvVarSource, IVolume, IVolumeProjection } from 'kubernetes-models/v1';
import { type FieldRules, refused, supported } from './field-rule.ts';

const STORAGE = refused('this node has configMap, secret, downwardAPI, projected and emptyDir volumes only');

/** Every kind of volume. */
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
  hostPath: refused('a guest gets nothing of its host’s files'),
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
  medium: refused('a share is on the host’s disk'),
  sizeLimit: supported,
};

export const projectionFields: FieldRules<IVolumeProjection> = {
  clusterTrustBundle: refused('this node reads no trust bundles'),
  configMap: supported,
  downwardAPI: supported,
  podCertificate: refused('this node asks for no Pod certificates'),
  secret: supported,
  serviceAccountToken: supported,
};

const ADDRESS = /^status\.podIPs?$/;

/** Where a variable of a container without a command may come from. */
export const variableSourceFields: FieldRules<IEnvVarSource> = {
  configMapKeyRef: supported,
  fieldRef: refused<{ fieldPath: string }>(
    'status.podIP without a command: the VM itself is the process then, and reads its variables before it has an address',
    ({ fieldPath }) => ADDRESS.test(fieldPath),
  ),
  fileKeyRef: refused('there are no init containers that could write the file'),
  resourceFieldRef: supported,
  secretKeyRef: supported,
};

/** With a command there is a process, which begins when the guest has its address. */
export const processVariableSourceFields: FieldRules<IEnvVarSource> = { ...variableSourceFields, fieldRef: supported };
