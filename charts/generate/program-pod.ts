/** What the Pods of our programs have in common, in the chart and in what clusterctl installs. */
export const PORT = 8080;

const probe = (path: string) => ({ httpGet: { path, port: 'metrics' } });

export const podSecurity = {
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** Cluster API asks for the name `manager`. */
export const container = {
  name: 'manager',
  ports: [{ name: 'metrics', containerPort: PORT }],
  livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 15, periodSeconds: 20 },
  readinessProbe: { ...probe('/readyz'), periodSeconds: 10 },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};

/** A control plane is where such programs belong, if it lets them. */
export const tolerations = [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }];
